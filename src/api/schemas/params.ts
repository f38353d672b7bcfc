import { Type as t } from "@sinclair/typebox";
import type { Described } from "./values.ts";

export const deploymentNumber = t.Integer({ minimum: 1 });

/** The query of a list in pages, newest first. `lower` describes the items that `before` selects. */
export function pageQuery(longest: number, lower: string, limit: Described = {}) {
  return {
    limit: t.Optional(t.Integer({ minimum: 1, maximum: longest, ...limit })),
    before: t.Optional(t.Integer({ minimum: 1, description: `Only ${lower}` })),
  };
}

/** Returns the page in a query. */
export function pageOf({ limit, before }: { limit?: number; before?: number }, defaultLimit: number) {
  return { limit: limit ?? defaultLimit, before: before ?? null };
}

/** The query of a part of a history. `to` is excluded. */
export function momentsQuery(from: Described = {}, to: Described = { description: "Excluded" }) {
  return {
    from: t.Optional(t.String({ format: "date-time", ...from })),
    to: t.Optional(t.String({ format: "date-time", ...to })),
  };
}

/** Returns the part of a history in a query, in milliseconds since the epoch. */
export function momentsOf({ from, to }: { from?: string; to?: string }) {
  const momentOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return { from: momentOf(from), to: momentOf(to) };
}
