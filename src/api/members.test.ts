import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi, resultOf } from "./testing/test-api.ts";

const api = await openTestApi();
const [ada, dora] = [await api.signUp("ada"), await api.signUp("dora")];
const archive = await zipOf({ "index.html": "hello" });
afterAll(() => api[Symbol.asyncDispose]());

/** Creates a public site of ada, on which dora is a deployer. Returns its id. */
async function siteOfTwo(name: string): Promise<number> {
  const { id } = await addSite(api.store, name, ada.user.id, false);
  await api.store.members.set(id, { identity: dora.user }, { role: "deployer", addedBy: ada.user.id, at: 0 });
  return id;
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
  await api.store.members.remove(id, { userId: dora.user.id }, 0);
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

interface Member {
  readonly login: string;
  readonly role: string;
  readonly added_by: string | null;
}

const members = async (token: string, site: string) => {
  const response = await api.call("GET", `/sites/${site}/members`, { token });
  return ((await response.json()) as Member[]).map(({ login, role, added_by }) => [login, role, added_by]);
};
const put = (site: string, login: string, role: string, token = ada.token) =>
  api.call("PUT", `/sites/${site}/members/${encodeURIComponent(login)}`, { token, json: { role } });
const remove = async (site: string, login: string, token = ada.token) =>
  (await api.call("DELETE", `/sites/${site}/members/${login}`, { token })).status;

test("an owner adds members, changes their role and removes them", async () => {
  await addSite(api.store, "team", ada.user.id, true);
  const added = await put("team", "DORA", "deployer");
  expect([added.status, await added.json()]).toMatchObject([201, { login: "dora", role: "deployer", added_by: "ada" }]);
  expect((await put("team", "dora", "maintainer")).status).toBe(200);
  expect(await members(dora.token, "team")).toEqual([
    ["ada", "owner", null],
    ["dora", "maintainer", "ada"],
  ]);
  expect([await remove("team", "dora"), await remove("team", "dora")]).toEqual([204, 404]);
  expect((await api.call("GET", "/sites/team/members", { token: dora.token })).status).toBe(403);
});

test.each([
  ["dora", "owner", 422, ""],
  ["nobody", "deployer", 404, "the provider user does not exist"],
  ["no login", "deployer", 400, "the provider username is invalid"],
  ["ada", "deployer", 409, "you own refusals"],
])("a member %p with the role %p is refused with %d", async (login, role, status, detail) => {
  if (!(await api.store.sites.find("refusals"))) await addSite(api.store, "refusals", ada.user.id, false);
  const response = await put("refusals", login, role);
  expect(response.status).toBe(status);
  if (status !== 422) expect((await resultOf(response))[1]).toStartWith(detail);
});

test("members leave by themselves, the owner cannot", async () => {
  await siteOfTwo("leaving");
  expect(await remove("leaving", "ada")).toBe(409);
  expect(await remove("leaving", "ada", dora.token)).toBe(403);
  expect(await remove("leaving", "dora", dora.token)).toBe(204);
  expect(await remove("leaving", "dora", dora.token)).toBe(403);
});

test("lists of sites have every site on which somebody works, with their role and its figures", async () => {
  await siteOfTwo("listed");
  const named = async (path: string) => {
    const all = (await (await api.call("GET", path, { token: dora.token })).json()) as {
      name: string;
      role?: string;
    }[];
    return all.find(({ name }) => name === "listed");
  };
  expect(await named("/sites")).toMatchObject({ role: "deployer" });
  expect(await named("/site-figures")).toMatchObject({ deployments: 0 });
});

test("the activity says in which role a member acted, and shows addresses to maintainers", async () => {
  const id = await siteOfTwo("acts");
  await api.deploy(dora.token, archive, { site: "acts" });
  await api.call("POST", "/sites/acts/deployments/1/activate", { token: dora.token });
  const activity = async () => {
    const response = await api.call("GET", "/sites/acts/audit", { token: dora.token });
    const entries = (await response.json()) as { actor: string; summary: string; address: string }[];
    return entries.map(({ actor, summary, address }) => [actor, summary, address]);
  };
  const seen = (address: string) => [
    ["dora", "Activated deployment 1, as deployer", address],
    ["dora", "Published deployment 2, as deployer", address],
  ];
  expect(await activity()).toEqual(seen(""));
  await api.store.members.set(id, { identity: dora.user }, { role: "maintainer", addedBy: ada.user.id, at: 0 });
  expect(await activity()).toEqual(seen("127.0.0.1"));
});

test("a member's event stream has the site's events between their addition and their removal", async () => {
  const { id } = await addSite(api.store, "heard", ada.user.id, false);
  const stream = await api.call("GET", "/events", { token: dora.token });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  const heard = async (type: string) => {
    for (let text = ""; ; text += (await reader.read()).value ?? "") {
      const [found] = new RegExp(`event: ${type}\\ndata: .*`).exec(text) ?? [];
      if (found) return found.split("data: ")[1];
    }
  };
  await put("heard", "dora", "deployer");
  expect(await heard("sites.added")).toBe('{"site":"heard"}');
  await api.store.sites.setTags(id, ["docs"]);
  expect(await heard("site.changed")).toBe('{"site":"heard"}');
  expect(await remove("heard", "dora")).toBe(204);
  expect(await heard("site.removed")).toBe('{"site":"heard"}');
  await reader.cancel();
});

test("an invitation that names a site makes its person a member, and both see it in the activity", async () => {
  await siteOfTwo("inviting");
  await api.store.users.setOperator(dora.user.id, true);
  const invite = (json: object, token = dora.token) => api.call("POST", "/admin/users", { token, json });
  const site = { name: "inviting", role: "maintainer" };
  expect((await invite({ login: "nobody", site }, ada.token)).status).toBe(403);
  expect((await invite({ login: "nobody", site: { ...site, name: "nowhere" } })).status).toBe(404);
  expect((await invite({ login: "nobody", site: { ...site, role: "owner" } })).status).toBe(422);
  const invited = await invite({ login: "joan", site });
  const invitation = (await invited.json()) as { url: string };
  expect([invited.status, invitation]).toMatchObject([201, { login: "joan", site }]);

  const { pathname } = new URL(invitation.url);
  const browser = api.browser();
  const words =
    "You are invited to work on <strong>inviting</strong> as maintainer. Your login is <strong>joan</strong>.";
  expect(await (await browser.get(pathname)).text()).toContain(words);
  const accepted = await browser.submit(pathname, { name: "Joan", password: "correct horse" });
  expect([accepted.status, await accepted.text()]).toEqual([200, expect.stringContaining("/dashboard/sites/inviting")]);
  const sites = await browser.get("/sites", { Accept: "application/json" });
  expect(await sites.json()).toMatchObject([{ name: "inviting", role: "maintainer" }]);

  const activity = await api.call("GET", "/sites/inviting/audit", { token: ada.token });
  const told = ((await activity.json()) as { actor: string; summary: string }[]).slice(0, 2);
  expect(told.map(({ actor, summary }) => `${actor || "The operator"}: ${summary}`)).toEqual([
    "joan: Accepted the invitation to work on the site as maintainer",
    "The operator: Invited joan to work on the site as maintainer",
  ]);
  const seen = await api.call("GET", "/admin/sites/inviting/members", { token: dora.token });
  expect(((await seen.json()) as { login: string }[]).map(({ login }) => login)).toEqual(["ada", "dora", "joan"]);
  await api.store.users.setOperator(dora.user.id, false);
});
