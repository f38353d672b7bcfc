import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { GROUPS_HOLD_MS, type ToldGroups } from "../domain/model/group.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi, resultOf } from "./testing/test-api.ts";

const OIDC = {
  provider: "oidc",
  "provider-url": "https://id.example",
  "provider-client-id": "vitrine",
  signup: "open",
};

const api = await openTestApi({ ...OIDC, "oidc-groups-claim": "groups" });
const ada = await api.signUp("ada");
afterAll(() => api[Symbol.asyncDispose]());

/** Signs in somebody whose groups the provider tells. */
async function signIn(login: string, groups: ToldGroups) {
  const identity = {
    provider: "oidc",
    subject: `https://id.example#${login}`,
    login,
    name: null,
    avatarUrl: null,
  } as const;
  const user = await api.store.users.admit({ ...identity, groups }, api.clock.now(), "open");
  const ports = { store: api.store, clock: api.clock, secrets: systemSecrets };
  return { user, ...(await startSession(ports, { userId: user.id, clientName: "test", address: null })) };
}

const inTeam = (login: string) => signIn(login, { outcome: "told", names: ["team"] });

const member = (site: string, entry: string) => `/sites/${site}/members/${encodeURIComponent(entry)}`;
const readersOf = (site: string) => `/sites/${site}/access/readers`;

test("groups are members and readers by their name after @, last in the lists", async () => {
  await addSite(api.store, "listed", ada.user.id, true);
  const { token } = ada;
  const set = (entry: string, role: string) => api.call("PUT", member("listed", entry), { token, json: { role } });
  const added = await set("@/team/docs of Ünal", "deployer");
  expect([added.status, await added.json()]).toMatchObject([201, { login: "@/team/docs of Ünal", role: "deployer" }]);
  expect((await set("@/team/docs of Ünal", "maintainer")).status).toBe(200);
  expect((await set("zoe", "deployer")).status).toBe(201);
  const members = async () =>
    (await (await api.call("GET", "/sites/listed/members", { token })).json()) as { login: string }[];
  expect((await members()).map(({ login }) => login)).toEqual(["ada", "zoe", "@/team/docs of Ünal"]);
  const remove = async (entry: string) => (await api.call("DELETE", member("listed", entry), { token })).status;
  // Unlike a login, the name of a group is compared with its upper and lower case.
  expect([await remove("@/TEAM/docs of Ünal"), await remove("@/team/docs of Ünal"), await remove("ZOE")]).toEqual([
    404, 204, 204,
  ]);

  const add = (entry: string) => api.call("POST", readersOf("listed"), { token, json: { provider_login: entry } });
  const reader = await add("@staff");
  expect([reader.status, await reader.clone().json()]).toMatchObject([
    201,
    { provider_login: "@staff", provider_name: null },
  ]);
  expect((await add("zoe")).status).toBe(201);
  const readers = await (await api.call("GET", readersOf("listed"), { token })).json();
  expect(readers).toMatchObject([{ provider_login: "zoe" }, { provider_login: "@staff" }]);
  const { id } = (await reader.json()) as { id: number };
  expect((await api.call("DELETE", `${readersOf("listed")}/${id}`, { token })).status).toBe(204);
  const audit = await (await api.call("GET", "/sites/listed/audit", { token })).json();
  expect(JSON.stringify(audit)).toContain("Made @/team/docs of Ünal a maintainer");
});

test("a site has at most ten groups as members and ten as readers, with names that can be written", async () => {
  await addSite(api.store, "full", ada.user.id, true);
  const { token } = ada;
  const set = (entry: string) => api.call("PUT", member("full", entry), { token, json: { role: "deployer" } });
  const add = (entry: string) => api.call("POST", readersOf("full"), { token, json: { provider_login: entry } });
  for (let n = 0; n < 10; n++) expect([(await set(`@g${n}`)).status, (await add(`@g${n}`)).status]).toEqual([201, 201]);
  expect(await resultOf(await set("@more"))).toEqual([
    409,
    "full has 10 groups as members, the maximum: remove one first",
  ]);
  expect(await resultOf(await add("@more"))).toEqual([
    409,
    "full has 10 groups as readers, the maximum: remove one first",
  ]);
  for (const entry of ["@", `@${"x".repeat(256)}`, "@a\u202eb"]) {
    expect([(await set(entry)).status, (await add(entry)).status]).toEqual([400, 400]);
  }
});

test.each([
  [{}, "groups come from an OpenID Connect provider, and this server uses another one"],
  [
    OIDC,
    "this server does not read groups from its provider: the operator sets --oidc-groups-claim to the claim that names them",
  ],
])("a server with %p takes no groups, and says what to set", async (flags, problem) => {
  const other = await openTestApi(flags);
  const { user, token } = await other.signUp("ada");
  await addSite(other.store, "demo", user.id, true);
  const set = await other.call("PUT", member("demo", "@team"), { token, json: { role: "deployer" } });
  const add = await other.call("POST", readersOf("demo"), { token, json: { provider_login: "@team" } });
  expect([await resultOf(set), await resultOf(add)]).toEqual([
    [409, problem],
    [409, problem],
  ]);
  await other[Symbol.asyncDispose]();
});

test("a role through a group lets people work for twelve hours, and make no tokens and publishers", async () => {
  const { id } = await addSite(api.store, "team-site", ada.user.id, true);
  await api.store.members.set(id, { group: "team" }, { role: "maintainer", addedBy: ada.user.id, at: 0 });
  const grace = await inTeam("grace");
  const archive = await zipOf({ "index.html": "hello" });
  const deploy = async () => (await api.deploy(grace.token, archive, { site: "team-site" })).status;
  const roles = async () => {
    const sites = (await (await api.call("GET", "/sites", { token: grace.token })).json()) as {
      name: string;
      role: string;
    }[];
    return sites.map(({ name, role }) => [name, role]);
  };
  expect([await deploy(), await roles()]).toEqual([201, [["team-site", "maintainer"]]]);
  const makeToken = () => api.call("POST", "/tokens", { token: grace.token, json: { site_name: "team-site" } });
  const refused = "a role through a group does not allow this: ask the owner of team-site to make you a";
  expect(await resultOf(await makeToken())).toEqual([403, `${refused} deployer yourself`]);
  const publisher = { provider: "github", repository: "acme/site", ref: "refs/heads/main", permission: "publish" };
  const path = "/sites/team-site/publishers";
  const addPublisher = () => api.call("POST", path, { token: grace.token, json: publisher });
  expect(await resultOf(await addPublisher())).toEqual([403, `${refused} maintainer yourself`]);
  await api.store.members.set(id, { identity: grace.user }, { role: "deployer", addedBy: ada.user.id, at: 0 });
  expect([(await makeToken()).status, (await addPublisher()).status]).toEqual([201, 403]);
  await api.store.members.remove(id, { userId: grace.user.id }, api.clock.now());
  api.advance(GROUPS_HOLD_MS - 60_000);
  expect([await deploy(), (await roles()).length]).toEqual([201, 1]);
  api.advance(60_000);
  expect([await deploy(), await roles()]).toEqual([403, []]);
  const lapsed = "your role on team-site came from a group, which holds for 12 hours from your sign-in: sign in again";
  const list = () => api.call("GET", "/sites/team-site/deployments", { token: grace.token });
  expect(await resultOf(await list())).toEqual([403, `site ownership is required: ${lapsed}`]);
  const again = await api.deploy(grace.token, archive, { site: "team-site" });
  expect(await resultOf(again)).toEqual([403, `credential cannot deploy this site: ${lapsed}`]);
  await signIn("grace", { outcome: "absent", names: [] });
  expect(await resultOf(await list())).toEqual([403, "site ownership is required: team-site belongs to someone else"]);
});

test("a visitor whose groups have ended can sign in again, and learns nothing of the site", async () => {
  const { id } = await addSite(api.store, "secret", ada.user.id, true);
  await api.store.readers.add(id, { group: "team" }, 0);
  const { token } = await inTeam("rita");
  const visit = (label: string) => {
    const query = new URLSearchParams({ host: `${label}.localhost`, path: "/", state: "a".repeat(64) });
    return api.call("GET", `/visit?${query}`, { headers: { cookie: `vitrine=${token}` } });
  };
  expect((await visit("secret")).headers.get("location")).toContain("secret.localhost:8080/.vitrine/enter?code=");
  api.advance(GROUPS_HOLD_MS);
  const refused = await visit("secret");
  const page = await refused.text();
  expect(refused.status).toBe(403);
  expect(page).toContain('href="/sign-in/provider?return_to=%2Fvisit%3Fhost%3Dsecret.localhost');
  expect(await (await visit("no-such-site")).text()).toBe(page.replaceAll("secret", "no-such-site"));
});

test("users see their groups, how long they hold, and why a sign-in did not tell them", async () => {
  const groupsOf = async (token: string) => (await api.call("GET", "/auth/groups", { token })).json();
  const nothing = { claim: "groups", names: [], told_at: null, hold_until: null, signed_in_at: null, unknown: null };
  expect(await groupsOf(ada.token)).toEqual(nothing);
  const toldAt = api.clock.now();
  const { token } = await inTeam("mona");
  const told = { claim: "groups", names: ["team"], unknown: null } as const;
  expect(await groupsOf(token)).toMatchObject(told);
  await signIn("mona", { outcome: "overage" });
  const unknown = "there are too many for the provider to send";
  const after = (await groupsOf(token)) as { told_at: string; hold_until: string };
  expect(after).toMatchObject({ ...told, unknown });
  expect(Date.parse(after.told_at) - toldAt).toBeWithin(0, 60_000);
  expect(Date.parse(after.hold_until) - Date.parse(after.told_at)).toBe(GROUPS_HOLD_MS);
  api.advance(GROUPS_HOLD_MS);
  expect(await groupsOf(token)).toMatchObject({ names: [], told_at: null, unknown });
});

test("an open session has other roles once another sign-in tells other groups", async () => {
  const { id } = await addSite(api.store, "moving", ada.user.id, true);
  await api.store.members.set(id, { group: "team" }, { role: "deployer", addedBy: ada.user.id, at: 0 });
  const { token } = await inTeam("lin");
  const status = async () => (await api.call("GET", "/sites/moving/deployments", { token })).status;
  expect(await status()).toBe(200);
  await signIn("lin", { outcome: "overage" });
  expect(await status()).toBe(200);
  await signIn("lin", { outcome: "absent", names: [] });
  expect(await status()).toBe(403);
});
