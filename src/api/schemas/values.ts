import { type TSchema, Type as t } from "@sinclair/typebox";
import { TypeSystem } from "@sinclair/typebox/system";
import { timestamp } from "../../domain/timestamp.ts";

export interface Described {
  readonly description?: string;
}

export const Moment = t.String({ format: "date-time" });

export const TextOrNull = orNull(t.String());

export function orNull<T extends TSchema>(schema: T, described: Described = {}) {
  return t.Union([schema, t.Null()], described);
}

/** An `enum` instead of a union of constants, from which generators make one type. Only for responses: not validated. */
export function oneOf<const T extends string>(values: readonly T[], described: Described = {}) {
  return t.Unsafe<T>(t.String({ enum: [...values], ...described }));
}

const Choice = TypeSystem.Type<string, Described & { readonly type: "string"; readonly enum: readonly string[] }>(
  "Choice",
  ({ enum: values }, value) => typeof value === "string" && values.includes(value),
);

/** The same for a request, whose value is validated. */
export function choiceOf<const T extends string>(values: readonly T[], described: Described = {}) {
  return t.Unsafe<T>(Choice({ type: "string", enum: values, ...described }));
}

/** Returns the moment in the form of a `Moment`. */
export function momentOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
