import { type Static, type TObject, type TProperties, type TSchema, Type as t } from "@sinclair/typebox";
import { TypeSystem } from "@sinclair/typebox/system";
import { timestamp } from "../../domain/timestamp.ts";

export interface Described {
  readonly description?: string;
}

/** Returns the schema of a body with its name and an example, as the document shows it. */
export function namedSchema<P extends TProperties>(
  title: string,
  properties: P,
  example: Static<TObject<P>>,
): TObject<P> {
  return t.Object(properties, { title, examples: [example] });
}

export const Moment = t.String({ format: "date-time" });

export const TextOrNull = orNull(t.String());

export function orNull<T extends TSchema>(schema: T, described: Described = {}) {
  return t.Union([schema, t.Null()], described);
}

const Choice = TypeSystem.Type<string, Described & { readonly type: "string"; readonly enum: readonly string[] }>(
  "Choice",
  ({ enum: values }, value) => typeof value === "string" && values.includes(value),
);

/** An `enum` instead of a union of constants, so that generators create one type. */
export function oneOf<const T extends string>(values: readonly T[], described: Described = {}) {
  return t.Unsafe<T>(Choice({ type: "string", enum: values, ...described }));
}

/** Formats a time as a `Moment`. */
export function momentOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
