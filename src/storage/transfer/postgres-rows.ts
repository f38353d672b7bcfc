import type { GivenIds, RowSource, RowTarget } from "./copy.ts";
import type { Run } from "./postgres-transaction.ts";
import { type Column, quoted, type Row, sharedRowsOf, TABLES, type Table, type Value } from "./tables.ts";

/** Rows of a page. Rows with bytes may be large. */
const PAGE_ROWS = 1000;
const PAGE_ROWS_WITH_BYTES = 50;

/** Reads the rows of a database in a transaction. */
export function postgresSource(run: Run): RowSource {
  let cursors = 0;
  return {
    async *rows(table) {
      const cursor = `rows_${++cursors}`;
      const columns = quoted(table.columns.map(({ name }) => name));
      await run(`
        DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT json_build_array(${columns})::text AS row
        FROM ${table.name} ${sharedRowsOf(table.name)} ORDER BY ${quoted(table.key)}`);
      const most = table.columns.some(({ type }) => type === "BLOB") ? PAGE_ROWS_WITH_BYTES : PAGE_ROWS;
      for (;;) {
        const page = await run<{ readonly row: string }>(`FETCH ${most} FROM ${cursor}`);
        if (page.length > 0) yield page.map(({ row }) => fromJson(table, row));
        if (page.length < most) break;
      }
    },

    givenIds: () => givenIds(run),
  };
}

/** Adds rows to a database that was just migrated, in a transaction. */
export async function postgresTarget(run: Run): Promise<RowTarget> {
  const types = await columnTypes(run);
  // A site and its active deployment refer to each other.
  await run(`ALTER TABLE sites ALTER CONSTRAINT ${ACTIVE} DEFERRABLE INITIALLY DEFERRED`);
  for (const name of WITH_TRIGGERS) await run(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await run("DELETE FROM audit_anchor");
  return {
    async add({ name, columns }, rows) {
      const values = columns.map((column, index) => `(row ->> ${index})::${types.get(`${name}.${column.name}`)}`);
      await run(
        `INSERT INTO ${name} (${quoted(columns.map((column) => column.name))})
         SELECT ${values.join(", ")} FROM jsonb_array_elements($1::text::jsonb) AS row`,
        [toJson(rows, columns)],
      );
    },

    async complete(given) {
      await run("SET CONSTRAINTS ALL IMMEDIATE");
      await run(`ALTER TABLE sites ALTER CONSTRAINT ${ACTIVE} NOT DEFERRABLE`);
      for (const name of WITH_TRIGGERS) await run(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
      await continueIds(run, given);
      await run("ANALYZE");
    },
  };
}

/** Returns the number of shared rows in these tables. */
export async function countRows(run: Run, names: readonly string[]): Promise<number> {
  const counts = names.map((name) => `(SELECT count(*) FROM ${name} ${sharedRowsOf(name)})`);
  const [row] = await run<{ readonly rows: number }>(`SELECT (${counts.join(" + ")})::float8 AS rows`);
  return row?.rows ?? 0;
}

// --- internal ---

const ACTIVE = "sites_active_deployment_id_fkey";

/** Tables whose triggers give numbers to new rows, or let nobody put the first entry elsewhere. */
const WITH_TRIGGERS = ["audit_anchor", "live_events"];

/** Returns the types of all columns, by `table.column`. */
async function columnTypes(run: Run): Promise<ReadonlyMap<string, string>> {
  const rows = await run<{ readonly name: string; readonly type: string }>(`
    SELECT table_name || '.' || column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_schema = current_schema()`);
  return new Map(rows.map(({ name, type }) => [name, type]));
}

function toJson(rows: readonly Row[], columns: readonly Column[]): string {
  if (!columns.some(({ type }) => type === "BLOB")) return JSON.stringify(rows);
  const asText = (value: Value) => (value instanceof Uint8Array ? `\\x${value.toHex()}` : value);
  return JSON.stringify(rows.map((row) => row.map(asText)));
}

function fromJson({ columns }: Table, text: string): Row {
  const values = JSON.parse(text) as (string | number | boolean | null)[];
  return values.map((value, index): Value => {
    if (typeof value === "boolean") return value ? 1 : 0;
    if (typeof value !== "string" || columns[index]?.type !== "BLOB") return value;
    return Uint8Array.fromHex(value.slice("\\x".length));
  });
}

async function givenIds(run: Run): Promise<GivenIds> {
  const rows = await run<{ readonly name: string; readonly last: number }>(`
    SELECT table_name AS name, last_value::float8 AS last FROM information_schema.columns JOIN pg_sequences
      ON pg_get_serial_sequence(quote_ident(table_name), column_name)
        = quote_ident(schemaname) || '.' || quote_ident(sequencename)
    WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES' AND last_value IS NOT NULL
    UNION ALL SELECT 'live_events', live_events::float8 FROM log_counters`);
  return new Map(rows.map(({ name, last }) => [name, last]));
}

async function continueIds(run: Run, given: GivenIds): Promise<void> {
  const numbered = await run<{ readonly name: string }>(`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES'`);
  for (const name of TABLES.filter((table) => numbered.some((row) => row.name === table))) {
    await run(
      `SELECT setval(pg_get_serial_sequence('${name}', 'id'), last) FROM (
         SELECT greatest((SELECT max(id) FROM ${name}), $1::bigint) AS last) AS given WHERE last > 0`,
      [given.get(name) ?? 0],
    );
  }
  await run("UPDATE log_counters SET live_events = $1::bigint", [given.get("live_events") ?? 0]);
}
