import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { YAML } from "bun";
import { GITHUB_PUSH, startIssuer, type TestIssuer } from "../clients/ci/testing/issuer.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { executable } from "./testing/executable.ts";
import { npmEnvironment } from "./testing/npm.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";
import { exchangeOf } from "./testing/token-exchange.ts";

/** Runs the commands of docs/ci.md as a runner would, so that the documentation always works. */
const PAGE = join(import.meta.dir, "..", "..", "docs", "ci.md");
const DOCUMENTED_SERVER = "https://pages.example.org";

interface Workflow {
  readonly jobs?: Partial<
    Record<Job, { readonly steps: readonly { readonly name?: string; readonly run?: string }[] }>
  >;
  readonly deploy?: { readonly script: readonly string[] };
  readonly remove?: { readonly script: readonly string[] };
  readonly steps?: readonly { readonly name: string; readonly commands: readonly string[] }[];
}

type Job = "deploy" | "remove";

/** Returns the commands of a job in each documented pipeline by the heading above it. */
async function documentedCommands(job: Job): Promise<Record<string, string>> {
  const sections = (await Bun.file(PAGE).text()).split(/^##+ /m).slice(1);
  const pipelines = sections.map((section) => {
    const blocks = [...section.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = ""]) => YAML.parse(yaml) as Workflow);
    return [section.split("\n")[0] as string, blocks.map((block) => commandsOf(block, job)).join("")] as const;
  });
  return Object.fromEntries(pipelines.filter(([, script]) => script !== ""));
}

function commandsOf({ jobs, steps, ...gitlab }: Workflow, job: Job): string {
  const title = job === "deploy" ? "Deploy" : "Remove";
  const step = jobs?.[job]?.steps.find(({ name }) => name === title);
  const commands = steps?.find(({ name }) => name === title)?.commands ?? [];
  const deploying = commands.filter((command) => !command.startsWith("npm "));
  const script = step?.run ?? [...(gitlab[job]?.script ?? []), ...deploying].join("\n");
  return script.replace(/\$\{\{ github.event.number \}\}|\$CI_MERGE_REQUEST_IID|\$CI_COMMIT_PULL_REQUEST/, "7");
}

const commands = await documentedCommands("deploy");
const removals = await documentedCommands("remove");
const withToken = ["GitHub Actions", "GitLab CI", "Forgejo Actions", "Woodpecker"];
const withoutSecret = [
  ...withToken.slice(0, 3).map((name) => `${name} without a stored secret`),
  "GitHub Actions with curl",
];
const ofPullRequests = ["Pull requests", "Pull requests on Forgejo", "Pull requests from forks"];
const previews: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ofPullRequests.map((name) => [name, "pr-7"])),
  "Merge requests on GitLab": "mr-7",
  "Pull requests on Woodpecker": "pr-7",
};

/** How a pipeline authenticates: with a stored token, or with an ID token of GitLab or of GitHub and its likes. */
function credentialOf(name: string): "token" | "GitLab" | "Actions" {
  if (withToken.includes(name) || name.endsWith("Woodpecker")) return "token";
  return name.includes("GitLab") ? "GitLab" : "Actions";
}

/** Returns the pipelines that differ in their commands or their credential, each under the names of those alike. */
function distinct(scripts: Readonly<Record<string, string>>, names: readonly string[]): [names: string, one: string][] {
  const alike = Map.groupBy(names, (name) => `${credentialOf(name)}: ${scripts[name]}`);
  return [...alike.values()].map((some) => [some.join(", "), some[0] as string]);
}

let vitrine: TestServer;
/** A folder with programs that precede those of the machine. */
let programs: string;
let token: string;
let session: string;
let issuer: TestIssuer;
let project: string;

beforeAll(async () => {
  issuer = await startIssuer();
  vitrine = await startTestServer({ "ci-issuers": issuer.url });
  const ada = await vitrine.signUp("ada");
  await vitrine.deploy(ada.token, await zipOf({ "index.html": "first" }), { site: "my-site" });
  token = (await vitrine.mintDeploymentToken("my-site")).token;
  session = ada.token;
  programs = await mkdtemp(join(tmpdir(), "vitrine-ci-programs-"));
  // npx would install the package for each run, in 1.5 s of CPU time. npm-client.test.ts uses the real one, and shows that
  // the package does what the executable does, which starts in a third of the time of Node.js.
  const npx = `[ "$1" = '${vitrine.baseUrl}/vitrine.tgz' ] && shift && exec '${await executable()}' "$@"`;
  await Bun.write(join(programs, "npx"), `#!/bin/sh\n${npx}\n`);
  await chmod(join(programs, "npx"), 0o755);
});
afterAll(async () => {
  await rm(programs, { recursive: true, force: true });
  await vitrine[Symbol.asyncDispose]();
  await issuer.stop();
});

async function addPublisher(wanted: object): Promise<void> {
  const json = { repository: "octo/blog", issuer: issuer.url, ...wanted };
  expect((await vitrine.call("POST", "/sites/my-site/publishers", { token: session, json })).status).toBe(201);
}

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "vitrine-ci-"));
  await Bun.write(join(project, "dist", "assets", "app.js"), "1");
});
afterEach(() => rm(project, { recursive: true, force: true }));

/** Runs the commands as a runner does: in a new shell that stops at the first failure, in the project's folder. */
async function runPipeline(script: string, credential: Record<string, string>) {
  const { exitCode, stdout, stderr } =
    await Bun.$`bash --noprofile --norc -eo pipefail -c ${script.replaceAll(DOCUMENTED_SERVER, vitrine.baseUrl)}`
      .cwd(project)
      .env({
        ...npmEnvironment(project),
        PATH: `${programs}:${process.env.PATH}`,
        CI: "true",
        VITRINE_SERVER: vitrine.baseUrl,
        ...credential,
      })
      .quiet()
      .nothrow();
  return { status: exitCode, log: stdout.toString() + stderr.toString() };
}

test("the page documents GitHub, GitLab, Forgejo and Woodpecker, with and without a secret", () => {
  expect(Object.keys(commands).sort()).toEqual([...withToken, ...withoutSecret, ...Object.keys(previews)].sort());
  const removed = Object.keys(previews).filter((name) => !name.endsWith("forks"));
  expect(Object.keys(removals).sort()).toEqual(removed.sort());
});

needing("bash").describe.each(distinct(commands, withToken))("%s", (_, name) => {
  const script = commands[name] as string;
  test("its commands deploy the site", async () => {
    await Bun.write(join(project, "dist", "index.html"), `by ${name}`);
    const { status, log } = await runPipeline(script, { VITRINE_TOKEN: token });
    expect({ status, log }).toMatchObject({ status: 0 });
    expect(log).not.toContain(token);
    expect(await (await vitrine.visit("my-site")).text()).toBe(`by ${name}`);
    expect((await vitrine.visit("my-site", "/assets/app.js")).status).toBe(200);
  });

  test("a refused deployment fails the pipeline and logs the reason", async () => {
    await Bun.write(join(project, "dist", "index.html"), "never");
    const { status, log } = await runPipeline(script, { VITRINE_TOKEN: `${token.slice(0, -1)}_` });
    expect(status).not.toBe(0);
    expect(log).toContain("authentication is required");
    expect(await (await vitrine.visit("my-site")).text()).not.toBe("never");
  });
});

needing("bash", "curl", "jq").describe("without a stored secret", () => {
  let runner: Bun.Server<undefined>;
  const claims = {
    ...GITHUB_PUSH,
    ref_path: "refs/heads/main",
    project_path: "octo/blog",
    project_id: "7",
    namespace_id: "6",
  };
  const idToken = (wanted = {}) => issuer.sign({ ...claims, aud: vitrine.baseUrl, ...wanted });
  beforeAll(async () => {
    const fetch = async (request: Request) => {
      const { searchParams } = new URL(request.url);
      return Response.json({ value: await idToken({ aud: searchParams.get("audience") }) });
    };
    runner = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
    // The first exchange requests the issuer's keys, which may exceed the limit on a busy machine.
    const body = new URLSearchParams(exchangeOf("no-such-site", await idToken())).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    while ((await vitrine.call("POST", "/auth/token", { body, headers })).status === 503);
  });
  afterAll(() => runner.stop(true));

  /** The variables that a runner gives to the job of a pipeline. */
  const variables = async (name: string): Promise<Record<string, string>> => {
    const credential = credentialOf(name);
    if (credential === "token") return { VITRINE_TOKEN: token };
    if (credential === "GitLab") return { VITRINE_ID_TOKEN: await idToken() };
    return {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${runner.port}/?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the runner",
    };
  };

  test.each(distinct(commands, withoutSecret))("%s: its commands deploy the site", async (_, name) => {
    await Bun.write(join(project, "dist", "index.html"), `by ${name}`);
    const provider = name.startsWith("GitLab") ? "gitlab" : "github";
    await addPublisher({ provider, permission: "publish", ref: "refs/heads/main" });
    const { status, log } = await runPipeline(commands[name] as string, await variables(name));
    expect({ status, log }).toMatchObject({ status: 0 });
    expect(await (await vitrine.visit("my-site")).text()).toBe(`by ${name}`);
  });

  test.each(distinct(commands, Object.keys(previews)))(
    "%s: its commands create a preview and leave the site unchanged",
    async (_, name) => {
      const alias = previews[name] as string;
      const live = await (await vitrine.visit("my-site")).text();
      await Bun.write(join(project, "dist", "index.html"), `by ${name}`);
      await Bun.write(join(project, "dist", ".pull-request"), "7\n");
      const { status, log } = await runPipeline(commands[name] as string, await variables(name));
      expect({ status, log }).toMatchObject({ status: 0 });
      expect(await (await vitrine.visit(`${alias}--my-site`)).text()).toBe(`by ${name}`);
      if (name.endsWith("forks"))
        expect(await (await vitrine.visit("pr-7--my-site", "/.pull-request")).text()).not.toBe("7\n");
      expect(await (await vitrine.visit("my-site")).text()).toBe(live);
    },
  );

  test.each(distinct(removals, Object.keys(removals)))("%s: its commands remove the preview", async (_, name) => {
    const alias = previews[name] as string;
    const live = await (await vitrine.visit("my-site")).text();
    const set = { token: session, json: { deployment_number: 1 } };
    expect([200, 201]).toContain((await vitrine.call("PUT", `/sites/my-site/aliases/${alias}`, set)).status);
    const { status, log } = await runPipeline(removals[name] as string, await variables(name));
    expect({ status, log }).toEqual({ status: 0, log: expect.stringContaining("Removed the alias") });
    expect((await vitrine.visit(`${alias}--my-site`)).status).toBe(404);
    expect(await (await vitrine.visit("my-site")).text()).toBe(live);
  });

  test("a run that does not match the publisher fails, and logs the claim", async () => {
    const secret = { VITRINE_ID_TOKEN: await idToken({ ref: "refs/heads/dev", ref_path: "refs/heads/dev" }) };
    const { status, log } = await runPipeline(commands["GitLab CI without a stored secret"] as string, secret);
    expect(status).toBe(1);
    expect(log).toContain('"refs/heads/dev", but the publisher asks for "refs/heads/main"');
    expect(log).not.toContain(secret.VITRINE_ID_TOKEN);
  });
});
