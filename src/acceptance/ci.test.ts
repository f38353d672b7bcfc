import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { YAML } from "bun";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { executable } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

/** The commands of docs/ci.md, taken from the page itself and run as a runner would: what is documented is what works. */
const PAGE = join(import.meta.dir, "..", "..", "docs", "ci.md");

interface Workflow {
  readonly jobs?: { readonly deploy: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } };
  readonly deploy?: { readonly script: readonly string[] };
}

/** Returns the deployment commands of each documented pipeline by its heading. */
async function documentedCommands(): Promise<Record<string, string>> {
  const sections = (await Bun.file(PAGE).text()).split(/^## /m).slice(1);
  const pipelines = sections.flatMap((section) => {
    const [, yaml] = /```yaml\n(.*?)```/s.exec(section) ?? [];
    return yaml === undefined
      ? []
      : [[section.split("\n")[0] as string, commandsOf(YAML.parse(yaml) as Workflow)] as const];
  });
  return Object.fromEntries(pipelines);
}

function commandsOf({ jobs, deploy }: Workflow): string {
  const step = jobs?.deploy.steps.find(({ name }) => name === "Deploy");
  return step?.run ?? deploy?.script.join("\n") ?? "";
}

const commands = await documentedCommands();
let vitrine: TestServer;
let token: string;
let project: string;

beforeAll(async () => {
  vitrine = await startTestServer();
  const ada = await vitrine.signUp("ada");
  await vitrine.deploy(ada.token, await zipOf({ "index.html": "first" }), { site: "my-site" });
  token = (await vitrine.mintDeploymentToken("my-site")).token;
});
afterAll(() => vitrine[Symbol.asyncDispose]());

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "vitrine-ci-"));
  await symlink(await executable(), join(project, "vitrine"));
  await Bun.write(join(project, "dist", "assets", "app.js"), "1");
});
afterEach(() => rm(project, { recursive: true, force: true }));

/** Runs the commands as a runner does: a fresh shell that stops at the first failure, in the project's folder. */
async function runPipeline(script: string, secret: string) {
  const { exitCode, stdout, stderr } = await Bun.$`bash --noprofile --norc -eo pipefail -c ${script}`
    .cwd(project)
    .env({
      PATH: `${project}:${process.env.PATH}`,
      HOME: project,
      CI: "true",
      VITRINE_SERVER: vitrine.baseUrl,
      VITRINE_TOKEN: secret,
    })
    .quiet()
    .nothrow();
  return { status: exitCode, log: stdout.toString() + stderr.toString() };
}

test("the page documents GitHub, GitLab and Forgejo", () => {
  expect(Object.keys(commands)).toEqual(["GitHub Actions", "GitLab CI", "Forgejo Actions"]);
});

needing("bash", "curl").describe.each(Object.entries(commands))("%s", (name, script) => {
  test("its commands deploy the site", async () => {
    await Bun.write(join(project, "dist", "index.html"), `by ${name}`);
    const { status, log } = await runPipeline(script, token);
    expect({ status, log }).toMatchObject({ status: 0 });
    expect(log).not.toContain(token);
    expect(await (await vitrine.visit("my-site")).text()).toBe(`by ${name}`);
    expect((await vitrine.visit("my-site", "/assets/app.js")).status).toBe(200);
  });

  test("a refused deployment fails the pipeline, with the reason in its log", async () => {
    await Bun.write(join(project, "dist", "index.html"), "never");
    const { status, log } = await runPipeline(script, `${token.slice(0, -1)}_`);
    expect(status).not.toBe(0);
    expect(log).toContain("authentication is required");
    expect(await (await vitrine.visit("my-site")).text()).not.toBe("never");
  });
});
