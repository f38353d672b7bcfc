import type { Database } from "bun:sqlite";

/**
 * The tables that SQLite and PostgreSQL share. A row refers only to rows of its own table and of tables before it, with
 * one exception: the active deployment of a site.
 */
export const TABLES = [
  "meta",
  "users",
  "account_links",
  "quotas",
  "sessions",
  "sites",
  "deployments",
  "retired_names",
  "readers",
  "device_codes",
  "sign_in_attempts",
  "visit_codes",
  "visits",
  "rate_events",
  "setup_links",
  "publishers",
  "deployment_tokens",
  "used_id_tokens",
  "shares",
  "share_visits",
  "retention_policies",
  "view_days",
  "view_hours",
  "view_names",
  "view_salts",
  "view_writers",
  "contents",
  "content_objects",
  "content_locations",
  "content_bucket",
  "aliases",
  "expired_previews",
  "pins",
  "manifests",
  "deployment_contents",
  "deployment_files",
  "encodings",
  "encoding_claims",
  "claims",
  "certificates",
  "released_attempts",
  "own_certificates",
  "acme_accounts",
  "acme_orders",
  "acme_challenges",
  "audit",
  "audit_anchor",
  "leases",
  "job_failures",
  "job_runs",
  "metric_steps",
  "backups",
  "incidents",
  "webhooks",
  "webhook_events",
  "webhook_deliveries",
  "live_events",
] as const;

export type TableName = (typeof TABLES)[number];

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
  readonly name: TableName;
  readonly columns: readonly Column[];
  /** The columns of the primary key; all columns if there is none. */
  readonly key: readonly string[];
}

/** Returns the shared tables as they are in a SQLite database of the newest schema. */
export function tablesOf(db: Database, names: readonly TableName[] = TABLES): readonly Table[] {
  const columns = db.prepare<{ name: string; type: Column["type"]; pk: number }, [string]>(
    "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid",
  );
  return names.map((name) => {
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
export function sharedRowsOf(name: TableName): string {
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
