import { type SQL, sql } from "drizzle-orm";

/**
 * Passes values as one parameter, for `= ANY(…)` and `unnest(…)`. Drizzle would create a parameter for each of its
 * items.
 */
export function arrayOf(values: readonly (string | number)[], type: "text" | "bigint"): SQL {
  return sql`${sql.param(values)}::${sql.raw(type)}[]`;
}
