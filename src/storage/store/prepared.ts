import type { Drizzle } from "./connection.ts";

/**
 * Builds a query once for each connection. On SQLite, building a query takes several times as long as running it, so
 * queries of many requests are prepared. Parameters are `sql.placeholder`s.
 */
export function prepared<Query>(build: (db: Drizzle) => Query): (db: Drizzle) => Query {
  const built = new WeakMap<Drizzle, Query>();
  return (db) => {
    let query = built.get(db);
    if (query === undefined) {
      query = build(db);
      built.set(db, query);
    }
    return query;
  };
}
