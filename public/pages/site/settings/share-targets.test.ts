import { expect, test } from "bun:test";
import type { Alias, Deployment, PreviewPolicy } from "../../../api/types.ts";
import { opensWords, passwordUrl, shareTargets, targetOf, targetWords } from "./share-targets.ts";

const aliases = [{ name: "pr-2", deployment_number: 2 } as Alias];
const deployments = [
  { deployment_number: 3, activated_at: null, message: "Draft\nof two lines" },
  { deployment_number: 2, activated_at: null, message: null },
  { deployment_number: 1, activated_at: "2026-11-20T16:05:12.418Z", message: null },
] as Deployment[];

test.each<[isSitePrivate: boolean, access: PreviewPolicy["access"], values: readonly string[]]>([
  [true, "site", ["live", "alias:pr-2", "deployment:3"]],
  [true, "public", ["live"]],
  [false, "private", ["alias:pr-2", "deployment:3"]],
  [false, "site", []],
  [false, "public", []],
])("of a site that is private: %p, with previews for %p, a share can open %j", (isSitePrivate, access, values) => {
  const targets = shareTargets({ isSitePrivate, access, aliases, deployments });
  expect(targets.map(({ value }) => value)).toEqual([...values]);
});

test("a preview without an alias is labelled with its number and message", () => {
  const targets = shareTargets({ isSitePrivate: true, access: "site", aliases: [], deployments });
  expect(targets.map(({ words }) => words)).toEqual(["The live site", "#3 Draft", "#2"]);
});

test("what a share opens is named within a sentence", () => {
  const targets = shareTargets({ isSitePrivate: true, access: "site", aliases, deployments });
  expect(targets.map(opensWords)).toEqual(["the live site", "the preview pr-2", "the deployment #3 Draft"]);
});

test("the label of a preview has the beginning of a long message", () => {
  const long = [{ deployment_number: 3, activated_at: null, message: "w".repeat(1000) }] as Deployment[];
  const targets = shareTargets({ isSitePrivate: true, access: "site", aliases: [], deployments: long });
  expect(targets.at(-1)?.words).toBe(`#3 ${"w".repeat(50)}…`);
});

test.each([
  ["live", {}],
  ["alias:pr-2", { alias: "pr-2" }],
  ["deployment:3", { deployment_number: 3 }],
])("%s is sent as %j", (value, target) => {
  expect(targetOf(value)).toEqual(target);
});

test.each([
  [{ alias: "pr-2", deployment_number: null }, "pr-2--blog", "https://pr-2--blog.example.com/.vitrine/enter?id=7f"],
  [{ alias: null, deployment_number: 3 }, "Deployment #3", "https://3--blog.example.com/.vitrine/enter?id=7f"],
  [{ alias: null, deployment_number: null }, "The live site", "https://blog.example.com/.vitrine/enter?id=7f"],
])("a share of %j is shown as %s, and opened at %s", (target, words, url) => {
  expect(targetWords(target, "blog")).toBe(words);
  expect(passwordUrl({ id: "7f", target }, "blog", "https://{site}.example.com")).toBe(url);
});
