import type { Database } from "bun:sqlite";
import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { acmeChallenges, aliases, claims, deployments, expiredPreviews, formerNames, sites } from "../store/schema.ts";
import { hasDigest } from "./prepare.ts";
import type { ChangeBatch, ContentsState, DeploymentParts, RoutingState } from "./routing-state.ts";

/** A deployment that the replica did not have before. */
export interface NewDeployment {
  readonly id: number;
  readonly fileCount: number;
}

/** Returns the columns of a table in the order in which its rows are read. */
export function columnNames(table: PgTable): readonly string[] {
  return Object.values(getTableColumns(table)).map(({ name }) => name);
}

export type Tables = ReturnType<typeof newTables>;

/**
 * The statements of a replica. Each takes all rows of a table as one JSON text. They rely on foreign keys being off:
 * PostgreSQL has checked them, and when SQLite defers them for a change, it compiles all statements again, for 1 ms.
 */
export function newTables(raw: Database) {
  const run = runnerOf(raw);
  const upsert = (table: PgTable) => run(upsertStatement(table));
  const upserts = {
    sites: upsert(sites),
    deployments: upsert(deployments),
    aliases: upsert(aliases),
    expired_previews: upsert(expiredPreviews),
    former_names: upsert(formerNames),
    claims: upsert(claims),
    acme_challenges: upsert(acmeChallenges),
  };
  const addOwners = run(`
    INSERT OR REPLACE INTO users (id, provider, subject, login, may_own, created_at, frozen)
    SELECT value ->> 0, 'replica', value ->> 0, value ->> 0, 0, 0, value ->> 1 FROM json_each(?)`);
  const removeChallenges = raw.prepare<void, []>("DELETE FROM acme_challenges");
  const removals = ["claims", "aliases", "expired_previews", "former_names"].map((name) =>
    run(`DELETE FROM ${name} WHERE site_id ${IN_LIST}`),
  );
  const goneDeployments = raw.prepare<{ ids: string }, [string, string]>(`
    SELECT json_group_array(id) AS ids FROM deployments
    WHERE site_id ${IN_LIST} AND id NOT IN (SELECT ${columnOf(deployments, "id")} FROM json_each(?))`);
  const removeDeployments = deploymentRemover(raw);
  const removeSites = raw.prepare<void, [string, string]>(`
    DELETE FROM sites WHERE id ${IN_LIST} AND id NOT IN (SELECT ${columnOf(sites, "id")} FROM json_each(?))`);
  const hasDeployment = raw.prepare<unknown, [number]>("SELECT 1 FROM deployments WHERE id = ?");
  const newDeployments = raw.prepare<NewDeployment, [string]>(`
    SELECT ${columnOf(deployments, "id")} AS id, ${columnOf(deployments, "file_count")} AS fileCount FROM json_each(?)
    WHERE NOT EXISTS (SELECT 1 FROM deployments WHERE deployments.id = ${columnOf(deployments, "id")})`);

  const add = (state: RoutingState): void => {
    addOwners(state.owners);
    removeChallenges.run();
    for (const [name, put] of Object.entries(upserts)) put(state[name as keyof typeof upserts]);
  };
  return {
    add,

    replace(siteIds: string, state: RoutingState): void {
      for (const remove of removals) remove(siteIds);
      removeDeployments(goneDeployments.get(siteIds, state.deployments)!.ids);
      removeSites.run(siteIds, state.sites);
      add(state);
    },

    newDeployments: ({ deployments }: RoutingState) => newDeployments.all(deployments),
    hasDeployment: (id: number) => hasDeployment.get(id) !== null,
    ...fileStatements(raw),
    ...refillStatements(raw),
  };
}

// --- internal ---

const IN_LIST = "IN (SELECT value FROM json_each(?))";

const FILE_TABLES = ["manifests", "deployment_files", "deployment_contents"];

/** Returns a function that prepares a statement, which is run with a JSON text unless that is an empty list. */
function runnerOf(raw: Database) {
  return (statement: string): ((rows: string) => void) => {
    const prepared = raw.prepare<void, [string]>(statement);
    return (rows) => {
      if (rows !== "[]") prepared.run(rows);
    };
  };
}

/** Returns a function that deletes deployments with their files, and what nothing else uses of their contents. */
function deploymentRemover(raw: Database): (ids: string) => void {
  const run = runnerOf(raw);
  const findUsed = raw.prepare<{ contents: string; objects: string }, [string]>(`
    WITH used AS MATERIALIZED (SELECT DISTINCT content_id FROM deployment_contents WHERE deployment_id ${IN_LIST})
    SELECT (SELECT json_group_array(content_id) FROM used) AS contents,
      (SELECT json_group_array(DISTINCT object_id) FROM representations WHERE content_id IN used) AS objects`);
  const removeFiles = FILE_TABLES.map((name) => run(`DELETE FROM ${name} WHERE deployment_id ${IN_LIST}`));
  const remove = run(`DELETE FROM deployments WHERE id ${IN_LIST}`);
  const removeContents = run(`
    DELETE FROM representations WHERE content_id ${IN_LIST}
      AND NOT EXISTS (SELECT 1 FROM deployment_contents AS used WHERE used.content_id = representations.content_id)`);
  const removeObjects = run(`
    DELETE FROM content_objects WHERE id ${IN_LIST}
      AND NOT EXISTS (SELECT 1 FROM representations WHERE object_id = content_objects.id)`);
  return (ids) => {
    if (ids === "[]") return;
    const { contents, objects } = findUsed.get(ids)!;
    for (const removeOf of removeFiles) removeOf(ids);
    remove(ids);
    removeContents(contents);
    removeObjects(objects);
  };
}

/** Contents that are read together. */
const CONTENTS_AT_ONCE = 5000;

/** The statements for a change of everything. */
function refillStatements(raw: Database) {
  /**
   * Together they identify a deployment with the ids of its contents, even if its id was assigned again after a failover
   * of the database. A publication that is repeated has another id.
   */
  const identity = "id, site_id, number, created_at, size_bytes, file_count, publication_id";
  const replaced = [
    "claims",
    "aliases",
    "expired_previews",
    "former_names",
    "deployments",
    "sites",
    "users",
    "acme_challenges",
    "representations",
    "content_objects",
  ];
  return {
    /** Keeps files, but not what is recorded for their contents. */
    empty(): void {
      raw.run("DROP TABLE IF EXISTS temp.kept");
      raw.run(`CREATE TEMP TABLE kept AS SELECT ${identity} FROM deployments JOIN manifests ON deployment_id = id`);
      for (const name of replaced) raw.run(`DELETE FROM ${name}`);
    },

    /** Deletes the files of deployments that are gone or were replaced by another one with the same id. */
    dropOtherFiles(): void {
      const kept = `SELECT id FROM (SELECT * FROM temp.kept INTERSECT SELECT ${identity} FROM deployments)`;
      for (const name of FILE_TABLES) raw.run(`DELETE FROM ${name} WHERE deployment_id NOT IN (${kept})`);
      raw.run("DROP TABLE temp.kept");
    },

    /** Yields the ids of all contents of deployments. */
    *contentIds(): Iterable<readonly number[]> {
      const page = raw.prepare<{ id: number }, [number]>(
        `SELECT DISTINCT content_id AS id FROM deployment_contents WHERE content_id > ? ORDER BY 1 LIMIT ${CONTENTS_AT_ONCE}`,
      );
      for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0))
        yield rows.map(({ id }) => id);
    },
  };
}

/** The statements for the files of deployments. Rows that are inserted in their order take two thirds of the space. */
function fileStatements(raw: Database) {
  const run = runnerOf(raw);
  const addRules = raw.prepare<void, [number, string]>(
    "INSERT INTO manifests (deployment_id, rules) VALUES (?, unhex(?))",
  );
  // A content that was collected and published again has another id.
  const forgetContents = run(`
    DELETE FROM representations WHERE content_id IN (
      SELECT content_id FROM json_each(?) JOIN representations ON ${hasDigest("value ->> 1")}
      WHERE coding = '' AND content_id <> value ->> 0)`);
  const intoRepresentations = `
    INSERT OR REPLACE INTO representations (content_id, coding, digest, size, legacy_text, encoded, object_id, offset)`;
  const putRepresentations = run(`
    ${intoRepresentations} SELECT value ->> 0, '', ${binaryDigest("value ->> 1")}, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
      value ->> 6
    FROM json_each(?1)
    UNION ALL ${encodingsIn("?1", 7)} ORDER BY 1, 2`);
  const refer = raw.prepare<void, [number, string]>(
    "INSERT INTO deployment_contents (deployment_id, content_id) SELECT ?, value ->> 0 FROM json_each(?) ORDER BY 2",
  );
  const addPaths = raw.prepare<void, [number, string]>(
    "INSERT INTO deployment_files (deployment_id, path, content_id) SELECT ?, value ->> 0, value ->> 1 FROM json_each(?) ORDER BY 2",
  );
  const finish = run(`
    UPDATE representations SET encoded = 1
    WHERE coding = '' AND content_id IN (SELECT value ->> 0 FROM json_each(?))`);
  const addEncodings = run(`
    ${intoRepresentations} SELECT * FROM (${encodingsIn("?1", 1)}) AS encoding
    WHERE EXISTS (SELECT 1 FROM contents WHERE contents.id = encoding.id) ORDER BY 1, 2`);
  const addObjects = run(`
    INSERT INTO content_objects (id, name, size, intended_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, 0 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`);
  const move = run(`
    UPDATE representations SET object_id = value ->> 1, offset = value ->> 2
    FROM json_each(?) WHERE ${hasDigest("value ->> 0")}`);
  const addContents = ({ contents, objects }: ContentsState): void => {
    addObjects(objects);
    putRepresentations(contents);
  };
  return {
    /** Records encodings and moves of contents. Ignores contents that the replica does not have. */
    addDetails({ encoded, places, objects }: Pick<ChangeBatch, "encoded" | "places" | "objects">): void {
      addObjects(objects);
      finish(encoded);
      addEncodings(encoded);
      move(places);
    },

    addContents,

    addFiles(deploymentId: number, { rules, files, ...state }: DeploymentParts): void {
      forgetContents(state.contents);
      addContents(state);
      refer.run(deploymentId, state.contents);
      addRules.run(deploymentId, rules);
      addPaths.run(deploymentId, files);
    },
  };
}

/** Selects the encodings in a JSON text of contents, each of which has them as its element `index`. */
function encodingsIn(contents: string, index: number): string {
  return `
    SELECT content.value ->> 0 AS id, encoding.value ->> 0, ${binaryDigest("encoding.value ->> 1")}, encoding.value ->> 2, 0, 0,
      encoding.value ->> 3, encoding.value ->> 4
    FROM json_each(${contents}) AS content JOIN json_each(content.value, '$[${index}]') AS encoding`;
}

/** A restored database can contain anything: visits refuse files with an invalid digest, which is empty here. */
function binaryDigest(digest: string): string {
  return `coalesce(unhex(${digest}), x'')`;
}

function upsertStatement(table: PgTable): string {
  const columns = columnNames(table);
  const values = columns.map((_, index) => `value ->> ${index}`);
  return `INSERT OR REPLACE INTO ${getTableName(table)} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?)`;
}

/** Returns an expression for a column of a row. */
function columnOf(table: PgTable, column: string): string {
  return `value ->> ${columnNames(table).indexOf(column)}`;
}
