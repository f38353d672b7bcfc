import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import type { Described } from "./values.ts";

export const siteParams = t.Object({ name: t.String() });

export const deploymentParams = t.Object({ name: t.String(), deployment_number: t.Integer({ minimum: 1 }) });

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

/** The query of a list that is read in pages, newest first; `lower` says which entries follow one. */
export function pages(longest: number, lower: string, limit: Described = {}) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: longest, ...limit })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: `Only ${lower}` })),
  };
}
