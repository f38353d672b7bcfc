import type { Database } from "bun:sqlite";
import { type Table as DrizzleTable, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as schema from "../store/schema.ts";

/** Only several nodes need them. */
const OF_NODES: readonly DrizzleTable[] = [schema.changes, schema.cluster, schema.logCounters, schema.nodes];

/** The names of the tables that SQLite and PostgreSQL share. */
export const TABLES: readonly string[] = Object.values(schema)
  .filter((table) => is(table, PgTable))
  .filter((table) => !OF_NODES.includes(table))
  .map(getTableName);

/** Rows of `meta` that describe the database itself. */
const OWN_META = [
  "generation",
  "place",
  "schema",
  "oldest_known_schema",
  "identity",
  "moved_at",
  "rate_seed",
  "counted_deployments",
];

/** A value as SQLite stores it. */
export type Value = string | number | Uint8Array | null;

/** The values of a row in the order of the columns. */
export type Row = readonly Value[];

export interface Column {
  readonly name: string;
  readonly type: "INTEGER" | "TEXT" | "REAL" | "BLOB";
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key; all columns if there is none. */
  readonly key: readonly string[];
}

/**
 * Returns the shared tables as they are in a SQLite database of the newest schema. A row refers only to rows of its own
 * table and of tables before it, with one exception: the active deployment of a site.
 */
export function tablesOf(db: Database, names: readonly string[] = TABLES): readonly Table[] {
  const columns = db.prepare<{ name: string; type: Column["type"]; pk: number }, [string]>(
    "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid",
  );
  return parentsFirst(db, names).map((name) => {
    const all = columns.all(name);
    const primary = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    return {
      name,
      columns: all.map(({ name, type }) => ({ name, type })),
      key: (primary.length > 0 ? primary : all).map(({ name }) => name),
    };
  });
}

/** Returns the condition on the rows of a table that are shared; empty if all are. */
export function sharedRowsOf(name: string): string {
  return name === "meta" ? `WHERE key NOT IN (${OWN_META.map((key) => `'${key}'`).join(", ")})` : "";
}

/** Returns columns in SQL. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Returns the key of a row, to name it in a message. */
export function keyOf({ columns, key }: Table, row: Row): string {
  return key
    .map((name) => `${name} ${JSON.stringify(row[columns.findIndex((column) => column.name === name)])}`)
    .join(", ");
}

// --- internal ---

/** A site and its active deployment refer to each other. */
const ACTIVE = "active_deployment_id";

/** Sorts tables so that each one is after those to which its rows refer. */
function parentsFirst(db: Database, names: readonly string[]): readonly string[] {
  const references = db.prepare<{ parent: string }, [string, string]>(
    'SELECT "table" AS parent FROM pragma_foreign_key_list(?) WHERE "from" <> ?',
  );
  const sorted = new Set<string>();
  const add = (name: string) => {
    if (sorted.has(name)) return;
    for (const { parent } of references.all(name, ACTIVE)) if (parent !== name) add(parent);
    sorted.add(name);
  };
  for (const name of names) add(name);
  return [...sorted].filter((name) => names.includes(name));
}
