// The tables as Drizzle sees them, by area. `migrations/` makes them, with their constraints and indexes;
// `schema.test.ts` holds that both name the same columns.

export * from "./schema/accounts.ts";
export * from "./schema/deployments.ts";
export * from "./schema/domains.ts";
export * from "./schema/operations.ts";
export * from "./schema/sites.ts";
