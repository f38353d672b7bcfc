import { bigint, customType } from "drizzle-orm/pg-core";

/** A whole number, as SQLite has them: up to 2^53, times in milliseconds among them. The driver returns int8 as text. */
export function integer<Name extends string>(name: Name) {
  return bigint(name, { mode: "number" });
}

/** A value as JSON in a column of text: for `json`, the driver would encode what Drizzle has encoded already. */
export function json<Value>(name: string) {
  return customType<{ data: Value; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (text) => JSON.parse(text) as Value,
  })(name);
}

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
