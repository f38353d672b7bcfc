import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY, MINUTE, SECOND } from "../domain/timestamp.ts";
import { zipOf } from "./testing/archives.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let server: TestServer;
let owner: string;
let archive: Uint8Array;

beforeAll(async () => {
  server = await startTestServer({ workers: "2" });
  owner = (await server.signUp("ada")).token;
  archive = await zipOf({ "index.html": "hello" });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Created {
  readonly id: string;
  readonly name: string;
  readonly site_name: string;
  readonly permission: string;
  readonly expires_at: string;
  readonly token: string;
}

interface Wanted {
  readonly name?: string;
  readonly permission?: string;
  readonly expires_in?: string;
}

async function create(site_name: string, wanted: Wanted = {}): Promise<Created> {
  await server.deploy(owner, archive, { site: site_name });
  const json = { site_name, ...wanted };
  const created = await server.call("POST", "/tokens", { token: owner, json });
  expect(created.status).toBe(201);
  return (await created.json()) as Created;
}

async function listed(id: string) {
  const tokens = (await (await server.call("GET", "/tokens", { token: owner })).json()) as Record<string, string>[];
  return tokens.find((token) => token.id === id);
}

const use = async (site: string, token: string) =>
  (await server.call("GET", `/sites/${site}/deployments`, { token })).status;

test("the secret is shown once, and the list has everything else", async () => {
  const created = await create("shown", { name: "CI of the blog" });
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{20}$/),
    name: "CI of the blog",
    site_name: "shown",
    permission: "publish",
    expires_at: "",
    token: expect.stringMatching(/^vtd_[0-9A-Za-z]{33}$/),
  });
  expect(await listed(created.id)).toEqual({
    id: created.id,
    name: "CI of the blog",
    site_name: "shown",
    permission: "publish",
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    expires_at: "",
    last_used_at: "",
  });
  expect((await create("shown")).name).toBe("Deployment token");
});

test("the last use is recorded to the minute", async () => {
  const { id, token } = await create("used");
  const lastUse = async () => (await listed(id))?.last_used_at;
  await use("used", token);
  const first = await lastUse();
  expect(first).not.toBe("");
  server.advance(30 * SECOND);
  await use("used", token);
  expect(await lastUse()).toBe(first as string);
  server.advance(31 * SECOND);
  await use("used", token);
  expect(Date.parse((await lastUse()) ?? "")).toBeGreaterThan(Date.parse(first ?? "") + 60 * SECOND - 1);
});

test("a token deploys to its own site, whose name is required, and creates no other", async () => {
  const { token } = await create("own");
  expect((await server.deploy(token, archive, { site: "own" })).status).toBe(201);
  for (const site of [undefined, "shown", "brand-new"]) {
    const refused = await server.deploy(token, archive, site === undefined ? {} : { site });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ detail: expect.stringMatching(/^credential cannot deploy this site/) });
  }
});

test("a revoked token is refused by the next request, in every thread", async () => {
  const { id, token } = await create("revoked");
  for (let request = 0; request < 8; request++) expect(await use("revoked", token)).toBe(200);
  expect((await server.call("DELETE", `/tokens/${id}`, { token: owner })).status).toBe(204);
  for (let request = 0; request < 8; request++) expect(await use("revoked", token)).toBe(401);
  expect((await server.call("DELETE", `/tokens/${id}`, { token: owner })).status).toBe(404);
});

test("a token is deleted with its site, and a later site of that name does not restore it", async () => {
  const { token } = await create("mortal");
  expect((await server.call("DELETE", "/sites/mortal", { token: owner })).status).toBe(204);
  expect(await use("mortal", token)).toBe(401);
  await server.deploy(owner, archive, { site: "mortal" });
  expect(await use("mortal", token)).toBe(401);
});

test("an expired token is refused", async () => {
  const created = await create("limited", { expires_in: "14d" });
  const expiresAt = Date.parse(created.expires_at);
  expect(Math.abs(expiresAt - server.clock.now() - 14 * DAY)).toBeLessThan(MINUTE);
  expect((await listed(created.id))?.expires_at).toBe(created.expires_at);
  expect(await use("limited", created.token)).toBe(200);
  server.advance(14 * DAY);
  expect(await use("limited", created.token)).toBe(401);
});

test.each(["soon", "0s", "3651d", "", "14"])("a token cannot last %p", async (expires_in) => {
  const json = { site_name: "shown", expires_in };
  const refused = await server.call("POST", "/tokens", { token: owner, json });
  expect(refused.status).toBe(422);
  const msg = "Give a time from 1s to 3650d, such as 14d";
  expect(await refused.json()).toEqual({ detail: [{ loc: ["body", "expires_in"], msg, type: "duration" }] });
});

test("a token for previews activates nothing", async () => {
  await server.deploy(owner, archive, { site: "guarded" });
  const { permission, token } = await create("guarded", { permission: "preview" });
  expect(permission).toBe("preview");
  const detail = expect.stringMatching(/^credential cannot deploy this site: .* X-Service-Activate: no/);
  for (const refused of [
    await server.deploy(token, archive, { site: "guarded" }),
    await server.call("POST", "/sites/guarded/deployments/1/activate", { token }),
  ]) {
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ detail });
  }
  const history = await server.call("GET", "/sites/guarded/deployments", { token });
  expect(await history.json()).toMatchObject([
    { deployment_number: 2, active: true },
    { deployment_number: 1, active: false },
  ]);
});

test("an unknown permission is refused with its name", async () => {
  const json = { site_name: "shown", permission: "admin" };
  const refused = await server.call("POST", "/tokens", { token: owner, json });
  expect(refused.status).toBe(422);
  const msg = "Expected one of publish, preview";
  expect(await refused.json()).toEqual({ detail: [{ loc: ["body", "permission"], msg, type: "value_error" }] });
});
