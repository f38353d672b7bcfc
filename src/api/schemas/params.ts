import { Type as t } from "@sinclair/typebox";
import type { Described } from "./values.ts";

export const deploymentNumber = t.Integer({ minimum: 1 });

/** The query of a list in pages, newest first. `lower` describes what `before` selects. */
export function pageQuery(longest: number, lower: string, limit: Described = {}) {
  return {
    limit: t.Optional(t.Integer({ minimum: 1, maximum: longest, ...limit })),
    before: t.Optional(t.Integer({ minimum: 1, description: `Only ${lower}` })),
  };
}

/** Returns the page that a query asks for. */
export function pageOf({ limit, before }: { limit?: number; before?: number }, defaultLimit: number) {
  return { limit: limit ?? defaultLimit, before: before ?? null };
}
