import { afterAll, beforeAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import type { User } from "../domain/model/user.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

let api: TestApi;
let ada: { readonly user: User; readonly token: string };
let dora: { readonly user: User; readonly token: string };
let archive: Uint8Array;

beforeAll(async () => {
  api = await openTestApi();
  [ada, dora] = [await api.signUp("ada"), await api.signUp("dora")];
  archive = await zipOf({ "index.html": "hello" });
});
afterAll(() => api[Symbol.asyncDispose]());

/** Creates a public site of ada, on which dora is a deployer. Returns its id. */
async function siteOfTwo(name: string): Promise<number> {
  const { id } = await addSite(api.store, name, ada.user.id, false);
  await api.store.members.set(id, { identity: dora.user }, { role: "deployer", addedBy: ada.user.id, at: 0 });
  return id;
}

async function resultOf(response: Response): Promise<readonly [number, string]> {
  const body = (await response.json()) as { detail?: string };
  return [response.status, body.detail ?? ""];
}

async function tokenOf(maker: { readonly token: string }, site: string): Promise<{ id: string; token: string }> {
  const created = await api.call("POST", "/tokens", { token: maker.token, json: { site_name: site } });
  expect(created.status).toBe(201);
  return created.json() as Promise<{ id: string; token: string }>;
}

test("a deployer publishes to the owner's site, and may not make it private on the way", async () => {
  await siteOfTwo("shared");
  const deployed = await api.deploy(dora.token, archive, { site: "shared" });
  expect([deployed.status, await deployed.json()]).toMatchObject([201, { deployment_number: 2 }]);
  const tooWeak = "your role on this site does not allow this: it takes the role maintainer, and yours is deployer";
  expect(await resultOf(await api.deploy(dora.token, archive, { site: "shared", access: "private" }))).toEqual([
    403,
    tooWeak,
  ]);
  const { token } = await tokenOf(dora, "shared");
  expect(await resultOf(await api.deploy(token, archive, { site: "shared", access: "private" }))).toEqual([
    403,
    tooWeak,
  ]);
  expect((await api.store.sites.find("shared"))?.ownerId).toBe(ada.user.id);
});

test("a token does nothing once its maker has no role, and works again with a new one", async () => {
  const id = await siteOfTwo("left");
  const { token } = await tokenOf(dora, "left");
  const deploy = async () => resultOf(await api.deploy(token, archive, { site: "left" }));
  const list = async () => (await api.call("GET", "/sites/left/deployments", { token })).status;
  expect([(await deploy())[0], await list()]).toEqual([201, 200]);
  await api.store.members.remove(id, { userId: dora.user.id });
  const gone = "the person who made this deployment token is no member of the site any more";
  expect(await deploy()).toEqual([403, `credential cannot deploy this site: ${gone}`]);
  expect(await list()).toBe(403);
  await api.store.members.set(id, { identity: dora.user }, { role: "deployer", addedBy: ada.user.id, at: 0 });
  expect([(await deploy())[0], await list()]).toEqual([201, 200]);
});

test("deployers see and revoke their own tokens, maintainers all of the site", async () => {
  const id = await siteOfTwo("tokens");
  const [hers, owners] = [await tokenOf(dora, "tokens"), await tokenOf(ada, "tokens")];
  const listed = async (token: string) => {
    const tokens = (await (await api.call("GET", "/tokens", { token })).json()) as { id: string; site_name: string }[];
    return tokens.filter(({ site_name }) => site_name === "tokens").map((one) => one.id);
  };
  const revoke = async (token: string, one: string) => (await api.call("DELETE", `/tokens/${one}`, { token })).status;
  expect(await listed(dora.token)).toEqual([hers.id]);
  expect(await revoke(dora.token, owners.id)).toBe(404);
  expect(await revoke(dora.token, hers.id)).toBe(204);
  await api.store.members.set(id, { identity: dora.user }, { role: "maintainer", addedBy: ada.user.id, at: 0 });
  expect(await listed(dora.token)).toEqual([owners.id]);
  expect(await revoke(dora.token, owners.id)).toBe(204);
});
