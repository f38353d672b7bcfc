import { expect, test } from "bun:test";
import type { Publisher } from "../../../api/types.ts";
import { conditionsOf, fullRef } from "./publisher-words.ts";

test.each([
  ["main", "refs/heads/main"],
  [" feature/x ", "refs/heads/feature/x"],
  ["refs/tags/v1", "refs/tags/v1"],
  ["", null],
])("the branch %j is sent as %p", (text, ref) => {
  expect(fullRef(text)).toBe(ref);
});

test.each<[Partial<Publisher>, string]>([
  [{ provider: "github" }, "GitHub"],
  [
    { provider: "github", workflow: "deploy.yml", environment: "production" },
    "GitHub, workflow deploy.yml, environment production",
  ],
  [{ provider: "gitlab", ref: "refs/heads/main" }, "GitLab, branch main"],
  [{ provider: "forgejo", ref: "refs/tags/v1" }, "Forgejo, tag v1"],
])("the conditions of %j: %s", (facts, words) => {
  const none = { workflow: null, ref: null, environment: null };
  expect(conditionsOf({ ...none, ...facts } as Publisher)).toBe(words);
});
