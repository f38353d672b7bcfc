import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "./testing/test-api.ts";

// Nothing listens at the provider's URL.
const provider = { provider: "github", "provider-url": "http://127.0.0.1:1", "provider-client-id": "id" };
const server = await openTestApi({
  ...provider,
  "provider-client-secret": "secret",
  "routing-targets": "A:203.0.113.7",
  "dns-resolvers": "127.0.0.1:1",
  "max-files": "2",
});
const owner = (await server.signUp("ada")).token;
const stranger = (await server.signUp("eve")).token;
const archive = await zipOf({ "index.html": "hello" });
await server.deploy(owner, archive, { site: "open" });
await server.deploy(owner, archive, { site: "closed", access: "private" });
const deployToken = (await server.mintDeploymentToken("open")).token;
const domain = { token: owner, json: { hostname: "www.open.example" } };
expect((await server.call("POST", "/sites/open/domains", domain)).status).toBe(201);
afterAll(() => server[Symbol.asyncDispose]());

const reader = (site: string, provider_login: string, token = owner) =>
  server.call("POST", `/sites/${site}/access/readers`, { token, json: { provider_login } });

test.each<[string, number, () => Promise<Response>]>([
  ["authentication is required", 401, () => server.call("GET", "/sites")],
  ["a session token is required", 403, () => server.call("GET", "/tokens", { token: deployToken })],
  ["site ownership is required", 403, () => server.call("DELETE", "/sites/open", { token: stranger })],
  ["credential cannot deploy this site", 403, () => server.deploy(stranger, archive, { site: "open" })],
  ["credential cannot deploy this site", 403, () => server.deploy(deployToken, archive, { site: "closed" })],
  ["site does not exist", 404, () => server.call("DELETE", "/sites/none", { token: owner })],
  [
    "every custom domain must complete removal first",
    409,
    () => server.call("DELETE", "/sites/open", { token: owner }),
  ],
  ["site name is invalid", 400, () => server.deploy(owner, archive, { site: "No Name" })],
  ["archive is invalid", 400, () => server.deploy(owner, new Uint8Array(100), { site: "open" })],
  ["a deployment limit was exceeded", 413, async () => server.deploy(owner, await zipOf({ a: "", b: "", c: "" }))],
  ["site is not private", 409, () => reader("open", "grace")],
  ["the provider username is invalid", 400, () => reader("closed", "<b>")],
  ["the provider lookup failed", 502, () => reader("closed", "grace")],
])("an error begins with its name in the specification: %s", async (name, status, ask) => {
  const response = await ask();
  expect([response.status, await response.json()]).toEqual([
    status,
    { detail: expect.stringMatching(new RegExp(`^${name}(: |$)`)) },
  ]);
});

test("the OpenAPI document has the same name for the failed lookup", async () => {
  const text = await (await server.call("GET", "/openapi.json")).text();
  expect(text).toContain("the provider lookup failed");
  expect(text).not.toContain("look-up");
});
