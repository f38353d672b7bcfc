import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type LogPlace, MAX_CHANGES } from "../postgres/change-log.ts";
import type { Drizzle } from "../store/connection.ts";
import { rowsOf } from "../store/rows.ts";
import * as replicated from "../store/schema.ts";
import { isAnyOf } from "../store/sql.ts";
import { columnNames } from "./tables.ts";

/**
 * The rows that visits to some sites need, as one JSON text for each table, in which a row is an array: PostgreSQL writes
 * the text, SQLite reads it, and it is not parsed in between.
 */
export interface RoutingState {
  readonly owners: string;
  readonly sites: string;
  readonly deployments: string;
  readonly aliases: string;
  readonly expired_previews: string;
  readonly former_names: string;
  readonly claims: string;
  /** Of all sites. */
  readonly acme_challenges: string;
}

/** Contents with all that is recorded for them, as JSON. */
export interface ContentsState {
  readonly contents: string;
  /** The objects in which they and their encodings are. */
  readonly objects: string;
}

/** The changes after a place in the log, and the state after the last one. */
export interface ChangeBatch extends Pick<ContentsState, "objects"> {
  /** The place of the last change. */
  readonly upTo: LogPlace;
  /** For each change, in order, the sites that it affects, or null for all of them. */
  readonly changes: readonly (readonly number[] | null)[];
  /** The ids of all affected sites as JSON, those that are gone among them. */
  readonly siteIds: string;
  readonly state: RoutingState;
  /** The contents whose encodings were recorded, with all their encodings, as JSON. */
  readonly encoded: string;
  /** Where contents that were moved are in the bucket, by their digests, as JSON; null if that is unknown. */
  readonly places: string;
}

/** The result of reading the log from a place on. */
type ReadChanges = ChangeBatch | "nothing" | "everything";

interface LogRow extends RoutingState, Pick<ChangeBatch, "encoded" | "places" | "objects"> {
  readonly cluster: string;
  readonly head: string;
  readonly log: string;
  readonly site_ids: string;
}

/** A change with its place and token, and its sites. */
type LogEntry = readonly [seq: number, token: string, sites: readonly number[] | null];

/**
 * Reads the changes after a place in the log. One statement sees one state, so the rows are those at the place of the
 * last change. Returns `everything` if the whole state must be read: the log does not reach back to the place, its
 * history is another one, a change may affect all sites, or there are too many changes.
 */
export async function readChanges(db: Drizzle, after: LogPlace): Promise<ReadChanges> {
  const statement = sql`
    WITH log AS MATERIALIZED (
      SELECT seq, token, sites, contents, moved FROM changes WHERE seq >= ${after.seq} ORDER BY seq LIMIT ${MAX_CHANGES + 2}),
    added AS MATERIALIZED (SELECT * FROM log WHERE seq > ${after.seq}),
    affected AS MATERIALIZED (SELECT DISTINCT unnest(sites) AS id FROM added),
    encoded AS MATERIALIZED (SELECT DISTINCT unnest(contents) AS id FROM added),
    ${encodingTables(sql`SELECT id FROM encoded`)},
    moved AS MATERIALIZED (SELECT digest, object_id, "offset"
      FROM (SELECT DISTINCT unnest(moved) AS digest FROM added) AS named ${WITH_PLACES})
    SELECT (SELECT token FROM cluster) AS cluster, (SELECT changes FROM log_counters) AS head,
      (SELECT coalesce(json_agg(json_build_array(seq, token, sites) ORDER BY seq), '[]') FROM log)::text AS log,
      (SELECT coalesce(json_agg(id), '[]') FROM affected)::text AS site_ids,
      (SELECT coalesce(json_agg(json_build_array(id, coalesce(list, '[]'))), '[]')
        FROM encoded LEFT JOIN encoding_lists ON content_id = id)::text AS encoded,
      (SELECT coalesce(json_agg(json_build_array(digest, object_id, "offset")), '[]') FROM moved)::text AS places,
      ${objectsOf(sql`moved`)},
      ${stateOf(sql`IN (SELECT id FROM affected)`)}`;
  const [row] = await rowsOf<LogRow>(db, statement);
  const { cluster, head, log, site_ids: siteIds, encoded, places, objects, ...state } = row!;
  const entries = JSON.parse(log) as LogEntry[];
  const added = entries.filter(([seq]) => seq > after.seq);
  const isWhole = added.length === Number(head) - after.seq && added.length <= MAX_CHANGES;
  if (cluster !== after.cluster || !continues(entries, after) || !isWhole) return "everything";
  const last = added.at(-1);
  if (!last) return "nothing";
  if (added.some(([, , sites]) => sites === null)) return "everything";
  const upTo = { cluster, seq: last[0], token: last[1] };
  return { upTo, changes: added.map(([, , sites]) => sites), siteIds, encoded, places, objects, state };
}

/** Deployments of a page of sites. Reading them takes a second or two on a loaded server, whose response has a deadline. */
const MAX_DEPLOYMENTS = 100_000;

/**
 * Returns a page of the sites after an id, with at most `limit` sites, and the id of its last one; null after the last page.
 */
export async function readSites(
  db: Drizzle,
  after: number,
  limit: number,
): Promise<{ readonly last: number; readonly state: RoutingState } | null> {
  // The last number of a site is at least the number of its deployments.
  const page = sql`SELECT id, sum(last_number) OVER (ORDER BY id) - last_number AS before FROM sites
    WHERE id > ${after} ORDER BY id LIMIT ${limit}`;
  const [found] = await rowsOf<{ readonly last: string | null }>(
    db,
    sql`SELECT max(id) AS last FROM (${page}) AS page WHERE before < ${MAX_DEPLOYMENTS}`,
  );
  if (!found?.last) return null;
  const last = Number(found.last);
  const [state] = await rowsOf<RoutingState>(db, sql`SELECT ${stateOf(sql`> ${after}`, sql`<= ${last}`)}`);
  return { last, state: state! };
}

/** The files of a deployment, which never change, with their encodings and places as of a place in the log. */
export interface DeploymentParts extends ContentsState {
  readonly place: number;
  /** In hexadecimal digits. */
  readonly rules: string;
  readonly files: string;
}

/** Returns null if the deployment was deleted. */
export async function readDeployment(db: Drizzle, id: number): Promise<DeploymentParts | null> {
  const contentIds = sql`SELECT content_id FROM deployment_contents WHERE deployment_id = ${id}`;
  const statement = sql`
    WITH ${contentTables(contentIds)}
    SELECT (SELECT changes FROM log_counters) AS place, encode(rules, 'hex') AS rules,
      (SELECT coalesce(json_agg(json_build_array(path, content_id)), '[]') FROM deployment_files
        WHERE deployment_id = ${id})::text AS files,
      ${CONTENTS}
    FROM manifests WHERE deployment_id = ${id}`;
  const [row] = await rowsOf<Omit<DeploymentParts, "place"> & { readonly place: string }>(db, statement);
  return row ? { ...row, place: Number(row.place) } : null;
}

export async function readContents(db: Drizzle, contentIds: readonly number[]): Promise<ContentsState> {
  const wanted = sql`SELECT id FROM contents WHERE ${isAnyOf(sql`id`, contentIds, "bigint")}`;
  const [row] = await rowsOf<ContentsState>(db, sql`WITH ${contentTables(wanted)} SELECT ${CONTENTS}`);
  return row!;
}

// --- internal ---

/** Returns whether the entries from a place on belong to the history of the place. */
function continues(entries: readonly LogEntry[], { seq, token }: LogPlace): boolean {
  const [first] = entries;
  return token === null ? first?.[0] !== seq : first?.[0] === seq && first[1] === token;
}

/** Each row is an array with the columns that SQLite has, too, in the order of `columnNames`. */
function rowsAsJson(table: PgTable, where = sql``): SQL {
  const columns = sql.raw(columnNames(table).join(", "));
  return sql`(SELECT coalesce(json_agg(json_build_array(${columns})), '[]')::text FROM ${sql.raw(getTableName(table))} ${where})`;
}

/** The columns of a RoutingState for the sites whose ids meet all conditions. */
function stateOf(...conditions: readonly SQL[]): SQL {
  const { sites, deployments, aliases, expiredPreviews, formerNames, claims, acmeChallenges } = replicated;
  const meets = (column: string) =>
    sql.join(
      conditions.map((one) => sql`${sql.raw(column)} ${one}`),
      sql` AND `,
    );
  const ofSites = (table: PgTable) => rowsAsJson(table, sql`WHERE ${meets("site_id")}`);
  return sql`
    (SELECT coalesce(json_agg(json_build_array(id, frozen)), '[]')::text FROM users
      WHERE id IN (SELECT owner_id FROM sites WHERE ${meets("id")}
        UNION SELECT owner_id FROM claims WHERE ${meets("site_id")})) AS owners,
    ${rowsAsJson(sites, sql`WHERE ${meets("id")}`)} AS sites,
    ${ofSites(deployments)} AS deployments,
    ${ofSites(aliases)} AS aliases,
    ${ofSites(expiredPreviews)} AS expired_previews,
    ${ofSites(formerNames)} AS former_names,
    ${ofSites(claims)} AS claims,
    ${rowsAsJson(acmeChallenges)} AS acme_challenges`;
}

/** Tables of the contents with these ids and of their encodings, with where each is in the bucket, for `CONTENTS`. */
function contentTables(ids: SQL): SQL {
  return sql`
    placed AS MATERIALIZED (SELECT id, digest, size, legacy_text, object_id, "offset",
        EXISTS (SELECT 1 FROM encoding_claims WHERE content_id = named.id AND ends_at IS NULL) AS is_encoded
      FROM contents AS named ${WITH_PLACES} WHERE id IN (${ids})),
    ${encodingTables(ids)}`;
}

/** Tables of the encodings of the contents with these ids. `encoding_lists` has one row for each content, with JSON. */
function encodingTables(ids: SQL): SQL {
  return sql`
    placed_encodings AS MATERIALIZED (SELECT content_id, coding, digest, size, object_id, "offset"
      FROM (${ids}) AS wanted (id)
      CROSS JOIN LATERAL (SELECT * FROM encodings WHERE content_id = wanted.id OFFSET 0) AS named ${WITH_PLACES}),
    encoding_lists AS (
      SELECT content_id, json_agg(json_build_array(coding, digest, size, object_id, "offset")) AS list
      FROM placed_encodings GROUP BY content_id)`;
}

/** The column `objects`, for a table with places and for `encodingTables`. */
function objectsOf(table: SQL): SQL {
  return sql`(SELECT coalesce(json_agg(json_build_array(id, name, size)), '[]') FROM content_objects WHERE id IN (
    SELECT object_id FROM ${table} UNION SELECT object_id FROM placed_encodings))::text AS objects`;
}

/**
 * Joins the digests of a table `named` with where they are in the bucket. Without statistics, such as after an upgrade of
 * PostgreSQL, it would read all locations if OFFSET did not keep it from changing the join: 1.9 s among 300,000.
 */
const WITH_PLACES = sql`LEFT JOIN LATERAL (
  SELECT object_id, "offset" FROM content_locations WHERE content_locations.digest = named.digest OFFSET 0) AS place ON true`;

/** The columns of a ContentsState. */
const CONTENTS = sql`
  (SELECT coalesce(json_agg(json_build_array(
      id, digest, size, legacy_text, is_encoded, object_id, "offset", coalesce(list, '[]'))), '[]')
    FROM placed LEFT JOIN encoding_lists ON content_id = id)::text AS contents,
  ${objectsOf(sql`placed`)}`;
