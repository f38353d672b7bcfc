import { beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { aliasOfPipeline, previewAlias } from "./preview-alias.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

test.each([
  [{}, null],
  [{ GITHUB_REF: "refs/pull/12/merge", GITHUB_REF_NAME: "12/merge" }, "pr-12"],
  [{ GITHUB_REF: "refs/heads/feature/x", GITHUB_REF_NAME: "feature/x" }, "feature/x"],
  [{ CI_MERGE_REQUEST_IID: "7", CI_COMMIT_REF_NAME: "feature/x" }, "mr-7"],
  [{ CI_COMMIT_REF_NAME: "feature/x" }, "feature/x"],
])("in a pipeline with %j the alias is %j", (env, expected) => {
  expect(aliasOfPipeline(env)).toBe(expected);
});

test("a given alias takes precedence over that of the pipeline", async () => {
  const env = { CI_COMMIT_REF_NAME: "main" };
  expect([await previewAlias("mine", folder, env), await previewAlias(true, folder, env)]).toEqual(["mine", "main"]);
});

needing("git").test("otherwise it is the git branch, and without one there is none", async () => {
  await Bun.write(join(folder, "site.zip"), "PK");
  expect(await previewAlias(true, folder, {})).toBeNull();
  // As `git init` leaves it.
  await Bun.write(join(folder, ".git", "HEAD"), "ref: refs/heads/feature/x\n");
  for (const part of ["objects", "refs"]) await Bun.write(join(folder, ".git", part, ".keep"), "");
  expect(await previewAlias(true, folder, {})).toBe("feature/x");
  expect(await previewAlias(true, join(folder, "site.zip"), {})).toBe("feature/x");
});
