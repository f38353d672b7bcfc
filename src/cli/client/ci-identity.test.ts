import { beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { runCli } from "../testing/run-cli.ts";
import { stubServer } from "../testing/stub-server.ts";

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  await Bun.write(join(folder, "index.html"), "hello");
});

const DEPLOYED = {
  site_name: "blog",
  deployment_number: 1,
  url: "http://blog.localhost",
  private: false,
  active: true,
};
const responses = {
  "GET /id-token": Response.json({ value: "the.id.token" }),
  "GET /capabilities/limits": Response.json({ limits: [], rates: [], usage: null }),
  "POST /deploy": Response.json(DEPLOYED, { status: 201 }),
};

const deploy = (server: string, env: Record<string, string>, ...args: string[]) =>
  runCli(["deploy", folder, "--server", server, ...args], { HOME: folder, ...env });

test("GitHub's and Forgejo's runners give an ID token for this server only, which is exchanged for a deployment token", async () => {
  await using server = stubServer({ ...responses, "POST /auth/token": Response.json({ access_token: "vtd_fresh" }) });
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${server.url}/id-token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the runner",
  };
  const result = await deploy(server.url, env, "--site", "blog");
  expect([result.status, result.stderr]).toEqual([0, expect.stringContaining("Deployed")]);
  const [requested, exchanged] = server.requested;
  expect([requested?.path, requested?.headers.get("authorization")]).toEqual(["/id-token", "Bearer of the runner"]);
  expect(exchanged?.body).toMatchObject({ subject_token: "the.id.token", scope: "site:blog" });
  const sent = server.requested.find(({ path }) => path === "/deploy");
  expect(sent?.headers.get("authorization")).toBe("Bearer vtd_fresh");
  expect(result.stdout + result.stderr).not.toMatch(/the\.id\.token|vtd_fresh|of the runner/);
});

test("GitLab's ID token is in a variable, and an explicit token takes precedence", async () => {
  await using server = stubServer({ ...responses, "POST /auth/token": Response.json({ access_token: "vtd_fresh" }) });
  const env = { VITRINE_ID_TOKEN: "of.git.lab" };
  expect((await deploy(server.url, env, "--site", "blog")).status).toBe(0);
  expect(server.requested[0]?.body).toMatchObject({ subject_token: "of.git.lab" });
  expect((await deploy(server.url, { ...env, VITRINE_TOKEN: "vtd_given" }, "--site", "blog")).status).toBe(0);
  expect(server.requested.filter(({ path }) => path === "/auth/token")).toHaveLength(1);
});

test("a refusal says which claim differs, and where to check it", async () => {
  const detail =
    'the ID token does not fit the publisher: ref: "refs/heads/dev", but the publisher asks for "refs/heads/main"';
  await using server = stubServer({
    ...responses,
    "POST /auth/token": Response.json({ error: "invalid_target", detail }, { status: 400 }),
  });
  const result = await deploy(server.url, { VITRINE_ID_TOKEN: "of.git.lab" }, "--site", "blog");
  expect(result.status).toBe(1);
  expect(result.stderr).toContain('ref: "refs/heads/dev", but the publisher asks for "refs/heads/main"');
  expect(result.stderr).toContain("vitrine publishers list blog");
  expect(server.requested.some(({ path }) => path === "/deploy")).toBe(false);
});

test("the site is required", async () => {
  const result = await deploy("http://127.0.0.1:1", { VITRINE_ID_TOKEN: "of.git.lab" });
  expect([result.status, result.stderr]).toEqual([2, expect.stringContaining("--site NAME")]);
});

test("a runner without an ID token is reported by name", async () => {
  await using server = stubServer({ "GET /id-token": new Response("no", { status: 403 }) });
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${server.url}/id-token?a=b`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the runner",
  };
  const result = await deploy(server.url, env, "--site", "blog");
  expect([result.status, result.stderr]).toEqual([1, expect.stringContaining("gave no ID token: status 403")]);
});
