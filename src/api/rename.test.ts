import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { DAY } from "../domain/timestamp.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi({ "base-url": "http://hub.pages.test", "sites-domain": "pages.test" });
const ada = await api.signUp("ada");
const archive = await zipOf({ "index.html": "hello" });
afterAll(() => api[Symbol.asyncDispose]());

const rename = (site: string, name: string, token = ada.token) =>
  api.call("POST", `/sites/${site}/rename`, { token, json: { name } });

test("a renamed site keeps everything, and its credentials may use the former name", async () => {
  await addSite(api.store, "first", ada.user.id, false);
  const { token } = await api.mintDeploymentToken("first");
  const renamed = await rename("first", "second");
  expect([renamed.status, await renamed.json()]).toMatchObject([200, { name: "second", role: "owner" }]);
  for (const credential of [token, ada.token]) {
    const deployed = await api.deploy(credential, archive, { site: "first" });
    const message = "the site first is called second now: use the new name, because the former one will be free again";
    expect([deployed.status, await deployed.json()]).toMatchObject([
      201,
      { site_name: "second", warnings: [{ message }] },
    ]);
    expect((await api.call("GET", "/sites/first/deployments", { token: credential })).status).toBe(200);
  }
  const named = (await (await api.deploy(token, archive, { site: "second" })).json()) as object;
  expect(named).not.toHaveProperty("warnings");
  await api.call("PUT", "/sites/first/aliases/next", { token: ada.token, json: { deployment_number: 1 } });
  await rename("first", "third");
  const activity = await api.call("GET", "/sites/third/audit", { token: ada.token });
  const summaries = ((await activity.json()) as { summary: string }[]).map(({ summary }) => summary);
  for (const former of ["first", "second"]) expect(summaries).toContain(`Renamed the site, which was called ${former}`);
  expect(summaries).toContain("Pointed the alias next to deployment 1");
});

test("aliases and shares that are made by a former name are those of the site's own name", async () => {
  const [former, own] = ["brief", "a-name-of-fifty-characters-which-a-site-may-have-x"];
  await addSite(api.store, former, ada.user.id, true);
  await api.deploy(ada.token, archive, { site: former });
  expect((await rename(former, own)).status).toBe(200);
  const branch = "feature-with-a-longer-name";
  const call = (method: "PUT" | "POST" | "DELETE", path: string, json?: object) =>
    api.call(method, `/sites/${former}/${path}`, { token: ada.token, json });
  const set = await call("PUT", `aliases/${branch}`, { deployment_number: 1 });
  const alias = (await set.json()) as { name: string; url: string };
  expect(alias.url).toBe(`http://${alias.name}--${own}.pages.test`);
  expect(`${alias.name}--${own}`.length).toBeLessThanOrEqual(63);
  const target = { alias: branch };
  const shared = await call("POST", "shares", { label: "The client", kind: "link", target });
  expect([shared.status, await shared.text()]).toEqual([201, expect.stringContaining(`${alias.url}/.vitrine/enter?`)]);
  expect((await call("DELETE", `aliases/${branch}`)).status).toBe(204);
  expect((await call("PUT", "aliases/123", { deployment_number: 1 })).status).toBe(422);
});

test("responses have the site's own name, also if the request has a former one", async () => {
  await addSite(api.store, "before", ada.user.id, false);
  await api.deploy(ada.token, archive, { site: "before" });
  expect((await rename("before", "after")).status).toBe(200);
  const requests = [
    ["PUT", "aliases/pr-12", { deployment_number: 1 }],
    ["GET", "aliases"],
    ["GET", "deployments"],
    ["GET", "deployments?include=changes"],
    ["POST", "deployments/1/activate"],
    ["GET", "deployments/2/files"],
    ["POST", "webhooks", { url: "https://hooks.example.org/" }],
    ["GET", "webhooks"],
  ] as const;
  for (const [method, path, json] of requests) {
    const response = await api.call(method, `/sites/before/${path}`, { token: ada.token, ...(json ? { json } : {}) });
    const text = await response.text();
    expect([path, response.ok, /\bafter\b/.test(text), /\bbefore\b/.test(text)]).toEqual([path, true, true, false]);
  }
});

test("a stranger cannot deploy to a former name, until it is free after 90 days", async () => {
  await addSite(api.store, "moved", ada.user.id, false);
  await rename("moved", "elsewhere");
  const eve = await api.signUp("eve");
  const refused = await api.deploy(eve.token, archive, { site: "moved" });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("credential cannot deploy this site"),
  ]);
  api.advance(90 * DAY);
  await api.store.sites.deleteFreeNames(api.clock.now());
  const { token } = await api.signUp("eva");
  expect((await api.deploy(token, archive, { site: "moved" })).status).toBe(201);
});

test.each([
  ["Not a name", 422, "only a-z"],
  ["", 422, "it is empty"],
  ["www", 409, "the name www is taken or reserved"],
  ["hub", 409, "the name hub is taken or reserved"],
  ["taken", 409, "the name taken is taken or reserved"],
])("a site cannot be called %p: %d", async (name, status, detail) => {
  for (const site of ["taken", "still"]) {
    if (!(await api.store.sites.find(site))) await addSite(api.store, site, ada.user.id, false);
  }
  const { token } = await api.signUp(`ada of ${name}`);
  expect((await rename("still", "other", token)).status).toBe(403);
  const session = await api.signUp(`owner of ${name}`);
  await api.store.sites.transfer((await api.store.sites.find("still"))!.id, session.user.id, {
    quota: { sites: null, bytes: null },
    keep: [],
  });
  const response = await rename("still", name, session.token);
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(detail)]);
});
