import { beforeEach, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { writeJobOutputs } from "./job-outputs.ts";

const live = {
  deployment_number: 3,
  name: "demo",
  site_name: "demo",
  private: false,
  url: "https://demo.example",
  active: true,
  deployment_url: "https://3--demo.example",
  alias: null,
  alias_url: null,
  expires_at: null,
};
const preview = { ...live, active: false, alias: "pr-12", alias_url: "https://pr-12--demo.example" };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const read = (name: string) => Bun.file(join(folder, name)).text();

test("a GitHub job gets outputs and a summary, appended to existing ones", async () => {
  const env = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  await Bun.write(env.GITHUB_OUTPUT, "before=1\n");
  await writeJobOutputs(preview, env);
  expect(await read("output")).toBe(
    "before=1\nurl=https://pr-12--demo.example\nsite_url=https://demo.example\n" +
      "deployment_url=https://3--demo.example\ndeployment_number=3\nactive=false\n",
  );
  expect(await read("summary")).toBe("Deployed **demo**: preview 3 is at <https://pr-12--demo.example>\n");
});

test("a GitLab job gets variables", async () => {
  await writeJobOutputs(live, { GITLAB_CI: "true", CI_PROJECT_DIR: folder });
  expect(await read("vitrine.env")).toBe(
    "VITRINE_URL=https://demo.example\nVITRINE_SITE_URL=https://demo.example\n" +
      "VITRINE_DEPLOYMENT_URL=https://3--demo.example\nVITRINE_DEPLOYMENT_NUMBER=3\nVITRINE_ACTIVE=true\n",
  );
});

test("outside a job nothing is written", async () => {
  await writeJobOutputs(live, { CI: "true" });
  expect(await readdir(folder)).toEqual([]);
});

test("a response with line breaks cannot set another output", async () => {
  const env = { GITHUB_OUTPUT: join(folder, "output") };
  await writeJobOutputs({ ...live, url: "https://demo.example\nPATH=/evil" }, env);
  expect((await read("output")).split("\n")).toHaveLength(6);
});
