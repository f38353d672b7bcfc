// The tables as Drizzle sees them, with the same names as in SQLite. `migrations/` creates them, with their constraints
// and indexes; `schema.test.ts` checks that both have the same columns.
export * from "./schema/accounts.ts";
export * from "./schema/deployments.ts";
export * from "./schema/domains.ts";
export * from "./schema/operations.ts";
export * from "./schema/sites.ts";
