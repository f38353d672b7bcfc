import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { type Column, getTableColumns, is, Param, Placeholder, type Query, SQL, sql, type Table } from "drizzle-orm";
import type { BunSQLQueryResultHKT } from "drizzle-orm/bun-sql";
import {
  PgDatabase,
  PgDialect,
  PgPreparedQuery,
  PgSession,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
} from "drizzle-orm/pg-core";
import { fillPlaceholders } from "drizzle-orm/sql/sql";
import * as utils from "drizzle-orm/utils";
import { LRUCache } from "lru-cache";
import { markForSqlite, writingForSqlite } from "../store/by-database.ts";
import type { Drizzle } from "../store/connection.ts";

// Runs the queries that Drizzle builds for PostgreSQL on SQLite. Everything that relies on Drizzle's internals is here;
// `dialect.test.ts` fails if another version of Drizzle changes them.

/** Returns a builder of queries that run on this connection. A query has run when its promise exists. */
export function drizzleOnSqlite(raw: Database): Drizzle {
  return markForSqlite(new PgDatabase(DIALECT, sessionOf(raw), undefined));
}

/**
 * Closes a connection and everything that was compiled for it. Without that, SQLite would keep the connection open, and
 * what is left of an ended change could still run on it.
 */
export function closeConnection(raw: Database): void {
  sessions.get(raw)?.finalize();
  raw.close(false);
}

// --- internal ---

/** Compiled statements of a connection. Lists of values of many lengths make many texts. */
const MAX_STATEMENTS = 500;

/** The key of a table's columns. */
const COLUMNS = Symbol.for("drizzle:Columns");

type SelectConfig = Parameters<PgDialect["buildSelectQuery"]>[0];
type InsertConfig = Parameters<PgDialect["buildInsertQuery"]>[0];
type InsertedRow = Readonly<Record<string, Param | SQL>>;
type MapRows = (rows: unknown[][]) => unknown;
type RowMapper = (fields: SelectedFieldsOrdered, row: unknown[], joins: JoinedTables | undefined) => unknown;
type JoinedTables = Record<string, boolean>;

const { mapResultRow } = utils as unknown as { readonly mapResultRow: RowMapper };

/** What SQLite says otherwise. Other differences are in `store/sql.ts`. */
class SqliteDialect extends PgDialect {
  /**
   * A placeholder of a prepared query gets a plus, so that SQLite does not compile the query again for each value, to
   * see whether it fits a partial index. That takes 15 µs with a join, and running the query less than one.
   */
  override escapeParam(index: number, value?: unknown): string {
    return is(value, Param) || is(value, Placeholder) ? `+?${index + 1}` : `?${index + 1}`;
  }

  override sqlToQuery(...query: Parameters<PgDialect["sqlToQuery"]>) {
    return writingForSqlite(() => super.sqlToQuery(...query));
  }

  /** Rows need no locks, because no other transaction changes anything meanwhile. */
  override buildSelectQuery(config: SelectConfig): SQL {
    const { lockingClause: _, ...unlocked } = config;
    return super.buildSelectQuery(unlocked);
  }

  /** There is no DEFAULT in VALUES: columns that no row has are omitted. */
  override buildInsertQuery(config: InsertConfig): SQL {
    if (config.select) return super.buildInsertQuery(config);
    const rows = config.values as readonly InsertedRow[];
    const given = Object.entries(getTableColumns(config.table)).filter(
      ([name, column]) => column.defaultFn !== undefined || rows.some((row) => has(row, name)),
    );
    const table = Object.create(config.table, { [COLUMNS]: { value: Object.fromEntries(given) } }) as Table;
    const values = rows.map((row) =>
      Object.fromEntries(given.map(([name, column]) => [name, has(row, name) ? row[name] : defaultOf(column)])),
    );
    return super.buildInsertQuery({ ...config, table, values } as InsertConfig);
  }
}

function has(row: InsertedRow, name: string): boolean {
  const value = row[name];
  return value !== undefined && !(is(value, Param) && value.value === undefined);
}

/** Of a column that other rows of the same statement have; undefined if Drizzle calls a function for it. */
function defaultOf(column: Column): Param | SQL | undefined {
  if (column.defaultFn !== undefined) return undefined;
  if (is(column.default, SQL)) throw new Error(`the default of ${column.name} is an expression: name the value`);
  return sql.param(column.default ?? null, column);
}

const DIALECT = new SqliteDialect();

const sessions = new WeakMap<Database, SqliteSession>();

function sessionOf(raw: Database): SqliteSession {
  const known = sessions.get(raw);
  if (known) return known;
  const session = new SqliteSession(DIALECT, raw);
  sessions.set(raw, session);
  return session;
}

class SqliteSession extends PgSession<BunSQLQueryResultHKT> {
  readonly #statements: LRUCache<string, Statement>;

  constructor(dialect: PgDialect, raw: Database) {
    super(dialect);
    this.#statements = new LRUCache({
      max: MAX_STATEMENTS,
      memoMethod: (text) => raw.prepare(text),
      dispose: (statement) => statement.finalize(),
    });
  }

  override prepareQuery<T extends PreparedQueryConfig>(
    query: Query,
    fields: SelectedFieldsOrdered | undefined,
    _name: string | undefined,
    _inArrays: boolean,
    mapRows?: MapRows,
  ): PgPreparedQuery<T> {
    return new SqliteQuery((text) => this.#statements.memo(text), query, fields, mapRows);
  }

  finalize(): void {
    this.#statements.clear();
  }

  override transaction(): never {
    throw new Error("a change is one transaction and contains no other");
  }
}

class SqliteQuery<T extends PreparedQueryConfig> extends PgPreparedQuery<T> {
  readonly #compile: (text: string) => Statement;
  readonly #fields: SelectedFieldsOrdered | undefined;
  readonly #mapRows: MapRows | undefined;
  /** Set by Drizzle: the joined tables whose columns may all be null. */
  declare joinsNotNullableMap?: JoinedTables;

  constructor(
    compile: (text: string) => Statement,
    query: Query,
    fields: SelectedFieldsOrdered | undefined,
    mapRows: MapRows | undefined,
  ) {
    super(query, undefined, undefined);
    this.#compile = compile;
    this.#fields = fields;
    this.#mapRows = mapRows;
  }

  override async execute(placeholders: Record<string, unknown> = {}): Promise<T["execute"]> {
    const { sql: text, params } = this.query;
    const statement = this.#compile(text);
    const values = fillPlaceholders(params, placeholders) as SQLQueryBindings[];
    const fields = this.#fields;
    if (this.#mapRows) return this.#mapRows(statement.values(...values));
    if (!fields) return statement.all(...values);
    return statement.values(...values).map((row) => mapResultRow(fields, row, this.joinsNotNullableMap));
  }
}
