import { type TSchema, Type as t } from "@sinclair/typebox";
import { TypeSystem } from "@sinclair/typebox/system";
import { timestamp } from "../../domain/timestamp.ts";

export interface Described {
  readonly description?: string;
}

export const Moment = t.String({ format: "date-time" });

export const TextOrNull = orNull(t.String());

/** `t.Nullable` would also say `nullable`, a word of OpenAPI 3.0 that 3.1 does not have. */
export function orNull<T extends TSchema>(schema: T, described: Described = {}) {
  return t.Union([schema, t.Null()], described);
}

/** Described by `enum` rather than as a union of constants: generated clients get one type of it. */
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
