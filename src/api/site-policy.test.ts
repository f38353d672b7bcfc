import { expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import type { PUBLIC_SITES } from "../domain/model/site-policy.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi } from "./testing/test-api.ts";

const OFF = "public sites are off on this server";

/** Opens a server with a policy, on which ada owns the private site `kept` and the public site `open`. */
async function serverWith(settings: { defaultAccess: string; publicSites: (typeof PUBLIC_SITES)[number] }) {
  const { defaultAccess, publicSites } = settings;
  const api = await openTestApi({ "default-access": defaultAccess, "public-sites": publicSites });
  const ada = await api.signUp("ada");
  const root = await api.signUp("root");
  await api.store.users.setOperator(root.user.id, true);
  await addSite(api.store, "kept", ada.user.id, true);
  await addSite(api.store, "open", ada.user.id, false);
  const archive = await zipOf({ "index.html": "hello" });
  const deploy = async (site: string, access: string | null, token = ada.token) => {
    const headers = access === null ? {} : { "X-Service-Access": access };
    const response = await api.deploy(token, archive, { site, headers });
    const { private: isPrivate, detail } = (await response.json()) as { private?: boolean; detail?: unknown };
    return [response.status, detail === undefined ? isPrivate : String(detail).split(":")[0]];
  };
  return { api, ada, root, deploy, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test("a new site has the server's access unless its deployment chooses one, and an existing site keeps its own", async () => {
  await using server = await serverWith({ defaultAccess: "private", publicSites: "on" });
  expect(await server.deploy("one", null)).toEqual([201, true]);
  expect(await server.deploy("two", "public")).toEqual([201, false]);
  expect(await server.deploy("open", null)).toEqual([201, false]);
  expect(await server.deploy("open", "public")).toEqual([201, false]);
  expect(await server.deploy("kept", "public")).toEqual([409, "kept is private"]);
  expect((await server.deploy("three", "secret"))[0]).toBe(422);
});

test.each([
  ["off", 403],
  ["operators", 204],
] as const)("with public sites %s nobody makes a site public, and an operator gets %d", async (publicSites, status) => {
  await using server = await serverWith({ defaultAccess: "public", publicSites });
  const { api, ada, root } = server;
  expect(await server.deploy("new", null)).toEqual([403, OFF]);
  expect(await server.deploy("new", "public")).toEqual([403, OFF]);
  expect(await server.deploy("new", "private")).toEqual([201, true]);
  expect(await server.deploy("open", null)).toEqual([201, false]);
  const refused = async (method: "PUT" | "DELETE", path: string, json?: object) => {
    const response = await api.call(method, path, { token: ada.token, ...(json && { json }) });
    return [response.status, (await response.text()).includes(OFF)];
  };
  expect(await refused("DELETE", "/sites/kept/access")).toEqual([403, true]);
  expect(await refused("PUT", "/sites/kept/previews", { access: "public" })).toEqual([403, true]);
  expect(await refused("PUT", "/sites/open/previews", { access: "public" })).toEqual([200, false]);
  expect((await refused("DELETE", "/sites/open/access"))[0]).toBe(204);
  await addSite(api.store, "roots", root.user.id, true);
  expect((await api.call("DELETE", "/sites/roots/access", { token: root.token })).status).toBe(status);
});
