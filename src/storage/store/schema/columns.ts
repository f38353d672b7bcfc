import { bigint, customType } from "drizzle-orm/pg-core";

/** An integer as in SQLite: up to 2^53, including times in milliseconds. The driver returns int8 as text. */
export function integer<Name extends string>(name: Name) {
  return bigint(name, { mode: "number" });
}

/** A JSON value in a text column. With `json`, the driver would encode the already encoded value of Drizzle. */
export function json<Value>(name: string) {
  return customType<{ data: Value; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (text) => JSON.parse(text) as Value,
  })(name);
}

/** A truth value, which SQLite stores as 0 and 1. */
export const flag = customType<{ data: boolean; driverData: boolean | number }>({
  dataType: () => "boolean",
  fromDriver: Boolean,
});

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
