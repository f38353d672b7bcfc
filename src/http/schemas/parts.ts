import { type TSchema, t } from "elysia";
import { timestamp } from "../../domain/timestamp.ts";

export const siteParams = t.Object({ name: t.String() });

export const deploymentParams = t.Object({ name: t.String(), deployment_number: t.Integer({ minimum: 1 }) });

interface Described {
  readonly description?: string;
}

/** Returns the query of a list that is read in pages, newest first; `lower` says which entries follow one. */
export function pageQuery(longest: number, lower: string, limit: Described = {}) {
  return t.Object({
    limit: t.Optional(t.Integer({ minimum: 1, maximum: longest, ...limit })),
    before: t.Optional(t.Integer({ minimum: 1, description: `Only ${lower}` })),
  });
}

/** Returns the page that a query asks for; without `limit` it is of the usual length. */
export function pageOf({ limit, before }: ReturnType<typeof pageQuery>["static"], usual: number) {
  return { limit: limit ?? usual, before: before ?? null };
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

/** Returns the moment in the form of a `Moment`. */
export function momentOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
