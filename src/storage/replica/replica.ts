import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Connection, connect } from "../sqlite/connection.ts";
import { routingLogWriter } from "../sqlite/routing-log.ts";
import { acmeChallenges, aliases, claims, deployments, expiredPreviews, sites } from "../sqlite/schema.ts";
import type { ChangeBatch, DeploymentParts, RoutingState } from "./routing-state.ts";

/**
 * The part of a cluster's metadata that visits need, in a SQLite database on the node, which `openSqliteStore` reads.
 * About users it contains only whether they are frozen. The files of a deployment are loaded before its first visit.
 */
export interface Replica {
  /** Applies changes in one transaction; afterwards every thread sees them in its `generation`. */
  apply(batch: ChangeBatch): Promise<void>;

  /**
   * Replaces everything with the pages, which are the state at `place` in the log. Readers see the former state until
   * all pages are written. The connection must have no other writer.
   */
  refill(place: number, pages: AsyncIterable<RoutingState>): Promise<void>;

  hasFiles(deploymentId: number): boolean;

  /** Returns the deployments of the same site that were replaced at or after `since`, the latest first, at most `limit`. */
  formerOf(deploymentId: number, since: number, limit: number): readonly number[];

  /**
   * Adds the files of a deployment. Returns false, and adds nothing, if changes were applied since the files were read,
   * or the deployment was deleted.
   */
  addFiles(deploymentId: number, parts: DeploymentParts): Promise<boolean>;

  close(): void;
}

/** Opens the replica, which `migrate` has made, for one thread. */
export function openReplica(file: string, onRoutingChange: (generation: number) => void): Replica {
  const connection = connect(file, onRoutingChange);
  const { raw } = connection;
  const tables = newTables(connection);
  const log = changeLogger(connection);
  const hasFiles = raw.prepare<unknown, [number]>("SELECT 1 FROM manifests WHERE deployment_id = ?");
  const former = raw.prepare<{ id: number }, [number, number, number]>(`
    SELECT id FROM deployments WHERE site_id = (SELECT site_id FROM deployments WHERE id = ?) AND replaced_at >= ?
    ORDER BY replaced_at DESC LIMIT ?`);
  const place = raw.prepare<{ value: number }, []>("SELECT value FROM meta WHERE key = 'place'");

  return {
    async apply({ upTo, changes, siteIds, state, encoded }) {
      const generation = await connection.writeRelaxed(() => {
        raw.run("PRAGMA defer_foreign_keys = ON");
        tables.replace(siteIds, state);
        tables.addEncodings(encoded);
        return log(changes, upTo);
      });
      onRoutingChange(generation);
    },

    async refill(upTo, pages) {
      raw.run("BEGIN IMMEDIATE");
      try {
        tables.empty();
        for await (const state of pages) {
          raw.run("PRAGMA defer_foreign_keys = ON");
          tables.add(state);
        }
        const generation = log([null], upTo);
        raw.run("COMMIT");
        onRoutingChange(generation);
      } catch (error) {
        if (raw.inTransaction) raw.run("ROLLBACK");
        throw error;
      }
    },

    hasFiles: (deploymentId) => hasFiles.get(deploymentId) !== null,
    formerOf: (deploymentId, since, limit) => former.all(deploymentId, since, limit).map(({ id }) => id),

    async addFiles(deploymentId, parts) {
      return connection.writeRelaxed(() => {
        if ((place.get()?.value ?? 0) > parts.place || !tables.hasDeployment(deploymentId)) return false;
        if (hasFiles.get(deploymentId) === null) tables.addFiles(deploymentId, parts);
        return true;
      });
    },

    close: () => raw.close(false),
  };
}

// --- internal ---

/** Returns a function that logs changes in the replica, each with a new generation, and returns the last generation. */
function changeLogger({ raw }: Connection) {
  const put = routingLogWriter(raw);
  const bump = raw.prepare<{ value: number }, []>(
    "UPDATE meta SET value = value + 1 WHERE key = 'generation' RETURNING value",
  );
  const setPlace = raw.prepare<void, [number]>("INSERT OR REPLACE INTO meta (key, value) VALUES ('place', ?)");
  return (changes: readonly (readonly number[] | null)[], upTo: number): number => {
    let generation = 0;
    for (const siteIds of changes) {
      generation = bump.get()?.value ?? 0;
      put(generation, siteIds && new Set(siteIds));
    }
    setPlace.run(upTo);
    return generation;
  };
}

/** The statements. Each takes all rows of a table as one JSON text. */
function newTables({ raw }: Connection) {
  const run = (statement: string) => raw.prepare<void, [string]>(statement);
  const upsert = (table: SQLiteTable) => run(upsertStatement(table));
  const upserts = {
    sites: upsert(sites),
    deployments: upsert(deployments),
    aliases: upsert(aliases),
    expired_previews: upsert(expiredPreviews),
    claims: upsert(claims),
    acme_challenges: upsert(acmeChallenges),
  };
  const addOwners = run(`
    INSERT INTO users (id, provider, subject, login, may_own, created_at, frozen)
    SELECT value ->> 'id', 'replica', value ->> 'id', value ->> 'id', 0, 0, value ->> 'frozen' FROM json_each(?) WHERE true
    ON CONFLICT (id) DO UPDATE SET frozen = excluded.frozen`);
  const ofSites = "site_id IN (SELECT value FROM json_each(?))";
  const removals = ["claims", "aliases", "expired_previews"].map((name) => run(`DELETE FROM ${name} WHERE ${ofSites}`));
  const removeDeployments = raw.prepare<void, [string, string]>(
    `DELETE FROM deployments WHERE ${ofSites} AND id NOT IN (SELECT value ->> 'id' FROM json_each(?))`,
  );
  const removeSites = raw.prepare<void, [string, string]>(`
    DELETE FROM sites WHERE id IN (SELECT value FROM json_each(?))
      AND id NOT IN (SELECT value ->> 'id' FROM json_each(?))`);
  const sweepContents = raw.prepare<void, []>(
    "DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM deployment_contents WHERE content_id = contents.id)",
  );
  const hasDeployment = raw.prepare<unknown, [number]>("SELECT 1 FROM deployments WHERE id = ?");
  const files = fileStatements(raw);

  const add = (state: RoutingState): void => {
    addOwners.run(state.owners);
    raw.run("DELETE FROM acme_challenges");
    for (const [name, statement] of Object.entries(upserts)) statement.run(state[name as keyof typeof upserts]);
  };
  return {
    add,

    replace(siteIds: string, state: RoutingState): void {
      for (const removal of removals) removal.run(siteIds);
      const gone =
        removeDeployments.run(siteIds, state.deployments).changes + removeSites.run(siteIds, state.sites).changes;
      if (gone > 0) sweepContents.run();
      add(state);
    },

    empty(): void {
      for (const name of ["claims", "sites", "contents", "acme_challenges", "users"]) raw.run(`DELETE FROM ${name}`);
    },

    hasDeployment: (id: number) => hasDeployment.get(id) !== null,
    ...files,
  };
}

/** The statements for the files of deployments. */
function fileStatements(raw: Connection["raw"]) {
  const addRules = raw.prepare<void, [number, string]>(
    "INSERT INTO manifests (deployment_id, rules) VALUES (?, unhex(?))",
  );
  // A content that was collected and published again has another id.
  const forgetContents = raw.prepare<void, [string, string]>(`
    DELETE FROM contents WHERE digest IN (SELECT value ->> 'digest' FROM json_each(?))
      AND id NOT IN (SELECT value ->> 'id' FROM json_each(?))`);
  const addContents = raw.prepare<void, [string]>(`
    INSERT OR IGNORE INTO contents (id, digest, size, published_at)
    SELECT value ->> 'id', value ->> 'digest', value ->> 'size', value ->> 'published_at' FROM json_each(?)`);
  const refer = raw.prepare<void, [number, string]>(
    "INSERT INTO deployment_contents (deployment_id, content_id) SELECT ?, value ->> 'id' FROM json_each(?)",
  );
  const addFiles = raw.prepare<void, [number, string]>(
    "INSERT INTO deployment_files (deployment_id, path, content_id) SELECT ?, value ->> 0, value ->> 1 FROM json_each(?)",
  );
  const finish = raw.prepare<void, [string]>(`
    INSERT OR IGNORE INTO encoding_claims (content_id, epoch, holder) SELECT id, 1, 'cluster' FROM contents
    WHERE id IN (SELECT value ->> 0 FROM json_each(?))`);
  const addEncodings = raw.prepare<void, [string]>(`
    INSERT OR IGNORE INTO encodings (content_id, coding, digest, size)
    SELECT contents.id, encoding.value ->> 0, encoding.value ->> 1, encoding.value ->> 2
    FROM json_each(?) AS encoded JOIN contents ON contents.id = encoded.value ->> 0
    JOIN json_each(encoded.value, '$[1]') AS encoding`);
  const recordEncodings = (encoded: string): void => {
    finish.run(encoded);
    addEncodings.run(encoded);
  };
  return {
    /** Ignores contents that the replica does not have. */
    addEncodings: recordEncodings,

    addFiles(deploymentId: number, { rules, contents, files, encoded }: DeploymentParts): void {
      forgetContents.run(contents, contents);
      addContents.run(contents);
      refer.run(deploymentId, contents);
      addRules.run(deploymentId, rules);
      addFiles.run(deploymentId, files);
      recordEncodings(encoded);
    },
  };
}

function upsertStatement(table: SQLiteTable): string {
  const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
  const values = columns.map((name) => `value ->> '${name}'`);
  const changed = columns.map((name) => `${name} = excluded.${name}`);
  return `
    INSERT INTO ${getTableName(table)} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET ${changed.join(", ")}`;
}
