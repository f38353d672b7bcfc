import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnAtTerminal } from "../cli/testing/pseudo-terminal.ts";
import { type CliResult, runCli } from "../cli/testing/run-cli.ts";
import { stubServer } from "../cli/testing/stub-server.ts";
import { freePort } from "../testing/free-port.ts";
import { addLocalAccount, signIn } from "./testing/accounts.ts";
import { type Client, installNpmClient, npm, npmEnvironment } from "./testing/client.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

/** The npm package that a server offers, on Node.js and without any registry. */
let vitrine: TestServer;
let client: Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-npx-"));
  vitrine = await startTestServer();
  client = await installNpmClient(vitrine.baseUrl);
  await Bun.write(join(folder, "site/index.html"), "hello");
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await vitrine?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test("npx with the server's address signs in and deploys, and names the server nowhere else", async () => {
  await addLocalAccount(vitrine, "ada");
  const browser = await signIn(vitrine, "ada");
  const npx = ["npx", "--yes", `${vitrine.baseUrl}/vitrine.tgz`];
  const session = spawnAtTerminal([...npx, "login", "--no-browser"], npmEnvironment(folder));
  const screen = await session.shows("Waiting for you to approve it in the browser");
  const [userCode = ""] = /[B-Z]{4}-[B-Z]{4}/.exec(screen) ?? [];
  await browser.submit("/device", { user_code: userCode, verdict: "approved" });
  expect((await session.exited).screen).toContain(`Signed in to ${vitrine.baseUrl} as ada.`);

  const deployed = await npm(folder, [...npx.slice(1), "deploy", join(folder, "site"), "--site", "hello"], "npx");
  expect(deployed.stdout).toBe(`${vitrine.siteUrl("hello")}\n`);
  expect(await (await vitrine.visit("hello")).text()).toBe("hello");
});

test("the client says of itself what its server says", async () => {
  const { version, commit } = (await (await vitrine.call("GET", "/version")).json()) as Record<string, string>;
  expect((await client.run(["version"])).stdout).toBe(`${version}\n`);
  expect(JSON.parse((await client.run(["version", "--json"])).stdout)).toEqual({ version, commit });
});

test("the output is that of the executable, byte by byte", async () => {
  const { token } = await vitrine.signUp("grace");
  const env = { VITRINE_SERVER: vitrine.baseUrl, VITRINE_TOKEN: token, XDG_CONFIG_HOME: folder };
  await runCli(["deploy", join(folder, "site"), "--site", "graces", "--message", "展示 · ünï"], env);
  const commands: readonly (readonly string[])[] = [
    ["help", "deploy"],
    ["domains", "add", "--help"],
    ["sites", "list"],
    ["sites", "list", "--json"],
    ["deployments", "list", "graces", "--long"],
    ["limits"],
    ["explain", "graces", "/"],
    ["deploy", join(folder, "nowhere")],
    ["deploy"],
    ["depoly"],
    ["access", "show", "nothing"],
    ["whoami", "--token", "vts_wrong"],
    ["whoami", "--server", `http://127.0.0.1:${freePort()}`],
    ["whoami", "--server", "http://nowhere.invalid"],
    ["whoami", "--server", vitrine.baseUrl.replace("http:", "https:")],
  ];
  const differing: [string, CliResult, CliResult][] = [];
  for (const command of commands) {
    const [here, there] = await Promise.all([runCli(command, env), client.run(command, env)]);
    if (!Bun.deepEquals(here, there)) differing.push([command.join(" "), here, there]);
  }
  expect(differing).toEqual([]);
});

test("the client of another server says once that the version differs, with the line that updates it", async () => {
  const headers = { "Vitrine-Version": "99.0.0" };
  await using other = stubServer({
    "GET /auth/me": Response.json({ login: "ada" }, { headers }),
    "HEAD /vitrine.tgz": new Response(),
  });
  const args = ["whoami", "--server", other.url, "--token", "vts_x"];
  const [first, second] = [await client.run(args, { HOME: folder }), await client.run(args, { HOME: folder })];
  expect(first.stderr).toContain(`server is version 99.0.0. Update: npm install --global ${other.url}/vitrine.tgz\n`);
  expect(second).toEqual({ status: 0, stdout: "ada\n", stderr: `at ${other.url}\n` });
});

test("the client has no command of the operator", async () => {
  const { status, stderr } = await client.run(["serve"]);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("unknown command 'serve'") });
  expect((await client.run(["help"])).stdout).not.toContain("backup");
});
