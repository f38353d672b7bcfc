import { expect, test } from "bun:test";
import type { Deployment } from "../../../api/types.ts";
import { Changes } from "./diff.tsx";

const nothing = { compared_with: null, added: 0, changed: 0, removed: 0, unchanged: 9 };
const published = "2026-11-22T22:00:00.000Z";

test.each<[words: string, Pick<Deployment, "changes" | "deployment_number" | "activated_at">]>([
  ["First deployment", { changes: nothing, deployment_number: 1, activated_at: published }],
  // The one before was deleted, so it is not the first.
  ["Previous deployment deleted", { changes: nothing, deployment_number: 3, activated_at: published }],
  ["Nothing live yet", { changes: nothing, deployment_number: 3, activated_at: null }],
  ["Not counted", { changes: null, deployment_number: 3, activated_at: published }],
])("%s", (words, facts) => {
  expect(Changes({ deployment: facts as Deployment }).props.children).toBe(words);
});
