import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { YAML } from "bun";
import { localhostCertificate } from "../clients/x509/testing/localhost-certificate.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { executable } from "./testing/executable.ts";
import { npmEnvironment } from "./testing/npm.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const FOLDER = join(import.meta.dir, "..", "..", "scripts", "ci");

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly id?: string;
      readonly shell?: string;
      readonly run?: string;
      readonly env?: Readonly<Record<string, string>>;
    }[];
  };
}

const action = YAML.parse(await Bun.file(join(FOLDER, "action.yml")).text()) as Action;

let vitrine: TestServer;
let token: string;
let job: string;

beforeAll(async () => {
  vitrine = await startTestServer({ workers: "1" });
  const ada = await vitrine.signUp("ada");
  await vitrine.deploy(ada.token, await zipOf({ "index.html": "first" }), { site: "my-site" });
  token = (await vitrine.mintDeploymentToken("my-site")).token;
});
afterAll(() => vitrine[Symbol.asyncDispose]());

beforeEach(async () => {
  job = await mkdtemp(join(tmpdir(), "vitrine-action-"));
  await mkdir(join(job, "bin"));
  await Bun.write(join(job, "dist", "index.html"), "by the action");
});
afterEach(() => rm(job, { recursive: true, force: true }));

/**
 * Runs the action's steps as a runner does: expressions are replaced in variables only, and steps set values in files.
 */
async function runAction(inputs: Readonly<Record<string, string>>) {
  const files = {
    GITHUB_OUTPUT: join(job, "output"),
    GITHUB_PATH: join(job, "path"),
    GITHUB_STEP_SUMMARY: join(job, "summary"),
  };
  await Promise.all(Object.values(files).map((file) => Bun.write(file, "")));
  const context = (name: string) => {
    const [, input] = /^inputs\.([a-z0-9-]+)$/.exec(name) ?? [];
    if (input !== undefined && !(input in action.inputs)) throw new Error(`there is no input ${input}`);
    if (input !== undefined) return inputs[input] ?? action.inputs[input]?.default?.replace(/^\$\{\{.*\}\}$/, "") ?? "";
    if (name === "github.action_path") return FOLDER;
    throw new Error(`there is no ${name}`);
  };
  let log = "";
  for (const { run = "", env = {} } of action.runs.steps) {
    const added = (await Bun.file(files.GITHUB_PATH).text()).trim().split("\n").reverse();
    const values = Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ (.*?) \}\}/g, (_, expression) => context(expression)),
    ]);
    const { exitCode, stdout, stderr } = await Bun.$`bash --noprofile --norc -eo pipefail -c ${run}`
      .cwd(job)
      .env({
        ...npmEnvironment(job),
        PATH: [...added, join(job, "bin"), process.env.PATH].join(":"),
        CI: "true",
        RUNNER_TEMP: join(job, "temp"),
        CURL_CA_BUNDLE: join(job, "root.pem"),
        ...files,
        ...Object.fromEntries(values),
      })
      .quiet()
      .nothrow();
    log += stdout.toString() + stderr.toString();
    if (exitCode !== 0) return { status: exitCode, log, outputs: {} };
  }
  const lines = (await Bun.file(files.GITHUB_OUTPUT).text()).trim().split("\n");
  const set = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)));
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    set[/outputs\.(\w+)/.exec(value)?.[1] ?? ""],
  ]);
  return { status: 0, log, outputs: Object.fromEntries(outputs) as Record<string, string> };
}

/** Serves a small program that runs the 90 MB executable as a release for this machine, over HTTP and HTTPS. */
async function startRelease(sums: (digest: string) => string) {
  const program = `#!/bin/sh\nexec '${await executable()}' "$@"\n`;
  const digest = new Bun.CryptoHasher("sha256").update(program).digest("hex");
  let name = "";
  const fetch = (request: Request) => {
    const file = new URL(request.url).pathname.replace("/v1/", "");
    if (file === "SHA256SUMS") return new Response(`${"0".repeat(64)}  vitrine-plan9-x64\n${sums(digest)}  ${name}\n`);
    name = file;
    return /^vitrine-(linux|darwin)-(x64|arm64)(-musl)?$/.test(file)
      ? new Response(program)
      : new Response(null, { status: 404 });
  };
  const { cert, key } = await localhostCertificate(job);
  const https = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch, tls: { cert, key } });
  const http = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  return {
    from: `https://localhost:${https.port}/v1/`,
    unsafe: `http://127.0.0.1:${http.port}/v1/`,
    digest,
    async [Symbol.asyncDispose]() {
      await Promise.all([https.stop(true), http.stop(true)]);
    },
  };
}

const inputs = (more: Record<string, string>) => ({
  server: vitrine.baseUrl,
  path: "dist",
  site: "my-site",
  token,
  ...more,
});

test("is a composite action whose steps name their shell and pass inputs only as variables", () => {
  expect(action.runs.using).toBe("composite");
  for (const { shell, run } of action.runs.steps) {
    expect(shell).toBe("bash");
    expect(run).not.toContain("${{");
  }
  const required = Object.entries(action.inputs).filter(([, { required }]) => required);
  expect(required.map(([name]) => name)).toEqual(["server", "path", "site"]);
});

needing("bash", "curl").describe("with a release", () => {
  test("installs the release, deploys, and sets the outputs", async () => {
    await using release = await startRelease((digest) => digest);
    const { status, log, outputs } = await runAction(inputs({ from: release.from }));
    expect({ status, log }).toMatchObject({ status: 0 });
    expect(await (await vitrine.visit("my-site")).text()).toBe("by the action");
    expect(outputs).toMatchObject({ url: vitrine.siteUrl("my-site"), active: "true", deployment_number: "2" });
    expect(Object.values(outputs)).not.toContain(undefined);
    expect(log).not.toContain(token);
  });

  test.each([
    ["whose checksum differs", () => "f".repeat(64), {}, "it was not installed"],
    ["without a checksum", () => "none", {}, "does not name vitrine-"],
    [
      "of another digest than the workflow names",
      (digest: string) => digest,
      { sha256: "e".repeat(64) },
      "it was not installed",
    ],
  ])("%s fails, and nothing is deployed", async (_, sums, more, message) => {
    await using release = await startRelease(sums);
    const before = await (await vitrine.call("GET", "/sites/my-site/deployments", { token })).text();
    const { status, log } = await runAction(inputs({ from: release.from, ...more }));
    expect([status, log]).toEqual([1, expect.stringContaining(message)]);
    expect(await (await vitrine.call("GET", "/sites/my-site/deployments", { token })).text()).toBe(before);
  });

  test("over plain HTTP needs its digest", async () => {
    await using release = await startRelease((digest) => digest);
    const { status, log } = await runAction(inputs({ from: release.unsafe }));
    expect([status, log]).toEqual([1, expect.stringContaining("set 'from' to an https: URL, or also set 'sha256'")]);
    expect(await runAction(inputs({ from: release.unsafe, sha256: release.digest }))).toMatchObject({ status: 0 });
  });
});

needing("bash").describe("on a runner with vitrine", () => {
  beforeEach(async () => symlink(await executable(), join(job, "bin", "vitrine")));

  test("creates a preview with the workflow's inputs", async () => {
    await Bun.write(join(job, "dist", "index.html"), "a preview");
    const more = { preview: "pr-7", expires: "2d", message: 'it\'s "$(touch run)" `touch run`' };
    const { status, log, outputs } = await runAction(inputs(more));
    expect({ status, log }).toMatchObject({ status: 0 });
    expect(outputs).toMatchObject({ url: vitrine.siteUrl("pr-7--my-site"), active: "false" });
    const [deployment] = (await (await vitrine.call("GET", "/sites/my-site/deployments", { token })).json()) as {
      message: string;
    }[];
    expect([deployment?.message, await Bun.file(join(job, "run")).exists()]).toEqual([more.message, false]);
  });

  test("fails with the server's error", async () => {
    const { status, log } = await runAction(inputs({ token: `${token.slice(0, -1)}_` }));
    expect([status, log]).toEqual([1, expect.stringContaining("authentication is required")]);
  });
});

needing("bash").test(
  "without a release and without vitrine on the runner, the server's own client deploys",
  async () => {
    await Bun.write(join(job, "dist", "index.html"), "with npx");
    // The real one takes two seconds of CPU time to install the same; npm-client.test.ts uses it.
    const npx = `[ "$2" = '${vitrine.baseUrl}/vitrine.tgz' ] && shift 2 && exec '${await executable()}' "$@"`;
    await Bun.write(join(job, "bin", "npx"), `#!/bin/sh\n${npx}\n`);
    await chmod(join(job, "bin", "npx"), 0o755);
    const { status, log, outputs } = await runAction(inputs({}));
    expect({ status, log }).toMatchObject({ status: 0 });
    expect(outputs).toMatchObject({ url: vitrine.siteUrl("my-site"), active: "true" });
    expect(await (await vitrine.visit("my-site")).text()).toBe("with npx");
  },
);
