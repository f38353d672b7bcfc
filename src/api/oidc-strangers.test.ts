import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import type { Browser } from "../acceptance/testing/browser.ts";
import { invite, type OidcServer, openOidcApi } from "../acceptance/testing/oidc-server.ts";
import { type Claims, signInAtIssuer } from "../clients/identity/testing/issuer.ts";
import { GROUPS_HOLD_MS } from "../domain/model/group.ts";
import type { User } from "../domain/model/user.ts";
import type { TestApi } from "./testing/test-api.ts";

/** Claims of the issuer's users, by subject. Users choose some of the claims themselves. */
const people = new Map<string, Claims>();
const claimsOf = (sub: string) => people.get(sub) ?? {};

const groups = { "oidc-groups-claim": "groups", "oidc-scopes": "openid profile email groups" };
const oidc = await openOidcApi({ "sign-in-rate": "1000/1m", "lookup-rate": "1000/1m", ...groups }, claimsOf);
const vitrine = oidc.server;
afterAll(() => oidc[Symbol.asyncDispose]());

/** Signs in the user with a subject. Returns the browser and the page of the callback. */
async function signIn(sub: string): Promise<{ browser: Browser; page: Response; token: string }> {
  const browser = vitrine.browser();
  const left = await browser.get("/sign-in/provider");
  const back = await signInAtIssuer(left.headers.get("location") ?? "", oidc.callback, sub);
  const page = await browser.get(back.pathname + back.search);
  return { browser, page, token: browser.cookies().get("vitrine") ?? "" };
}

const everybody = () => vitrine.store.users.list();

const withSubject = (users: readonly User[], wanted: string) => users.find(({ subject }) => subject === wanted);

describe("an unknown user with a chosen username", () => {
  let alice: string;
  beforeAll(async () => {
    await invite(oidc, "alice");
    people.set("subject-of-alice", { preferred_username: "alice", name: "Alice" });
    alice = (await signIn("subject-of-alice")).token;
    await vitrine.deploy(alice, await zipOf({ "index.html": "x" }), { site: "diary", access: "private" });
    await invite(oidc, "bob");
    await invite(oidc, "carol@corp.example");
  });

  test.each<[string, Claims]>([
    ["the nickname of an account", { nickname: "alice" }],
    ["the username of an account", { preferred_username: "alice" }],
    ["the username of an account in other letters", { preferred_username: "ALICE" }],
    ["the nickname of an invitation", { nickname: "bob" }],
    ["the address of an invitation, of which nothing is said", { email: "carol@corp.example" }],
    ["the address of an invitation, not verified", { email: "carol@corp.example", email_verified: false }],
    ["the address of an invitation, verified in words", { email: "carol@corp.example", email_verified: "true" }],
    ["the address of an invitation as username", { preferred_username: "carol@corp.example", email_verified: true }],
    [
      "the address of an invitation as username, and another one verified",
      { preferred_username: "carol@corp.example", email: "mallory@corp.example", email_verified: true },
    ],
    ["nothing of anybody's", { preferred_username: "mallory" }],
  ])("with %s is refused, and nothing changes", async (_what, claims) => {
    people.set("mallory", claims);
    const before = await everybody();
    const { page, token } = await signIn("mallory");
    expect(page.status).toBe(403);
    expect(token).toBe("");
    expect(await everybody()).toEqual(before);
  });

  test("does not become the reader that an owner invited", async () => {
    people.set("mallory", { preferred_username: "alice", nickname: "alice", email: "alice@corp.example" });
    await signIn("mallory");
    const look = await vitrine.call("GET", "/sites/diary/access/provider-users/alice", { token: alice });
    expect(await look.json()).toMatchObject({ provider_login: "alice", provider_name: "Alice" });
  });

  test("is refused with a name for which an invitation is possible", async () => {
    people.set("subject-of-grace", { preferred_username: "grace@corp.example", email: "grace@corp.example" });
    const { page } = await signIn("subject-of-grace");
    expect(await page.text()).toContain("vitrine users add subject-of-grace");
    const { id } = await invite(oidc, "subject-of-grace");
    expect((await signIn("subject-of-grace")).page.status).toBe(200);
    expect(withSubject(await everybody(), `${oidc.issuer.url}#subject-of-grace`)?.id).toBe(id);
  });
});

describe("an invitation", () => {
  test("to a verified address is accepted with any username", async () => {
    const { id } = await invite(oidc, "dora@corp.example");
    people.set("subject-of-dora", { email: "Dora@corp.example", email_verified: true });
    expect((await signIn("subject-of-dora")).page.status).toBe(200);
    expect(await vitrine.store.users.find(id)).toMatchObject({ subject: `${oidc.issuer.url}#subject-of-dora` });
  });

  test("of a frozen user is refused and stays", async () => {
    const { id } = await invite(oidc, "erin");
    await vitrine.store.users.setFrozen(id, { at: 0, reason: "unpaid" });
    people.set("subject-of-erin", { preferred_username: "erin" });
    const before = await everybody();
    const { page } = await signIn("subject-of-erin");
    expect(page.status).toBe(403);
    expect(await page.text()).toMatch(/Your account is frozen.*unpaid/s);
    expect(await everybody()).toEqual(before);
  });
});

describe("readers", () => {
  let owner: string;
  const call = (method: string, path: string, json?: unknown) =>
    vitrine.call(method, `/sites/notes/access${path}`, { token: owner, json });
  beforeAll(async () => {
    await invite(oidc, "owner");
    people.set("subject-of-owner", { preferred_username: "owner" });
    owner = (await signIn("subject-of-owner")).token;
    await vitrine.deploy(owner, await zipOf({ "index.html": "x" }), { site: "notes", access: "private" });
  });

  test("who have never signed in are invited, can read, and can own nothing", async () => {
    expect((await call("GET", "/provider-users/frank")).status).toBe(404);
    const added = await call("POST", "/readers", { provider_login: "frank" });
    expect(added.status).toBe(201);
    expect(await added.json()).toMatchObject({ provider_login: "frank", provider_name: null });
    people.set("subject-of-frank", { preferred_username: "frank", name: "Frank" });
    const { page, token } = await signIn("subject-of-frank");
    expect(page.status).toBe(200);
    expect(await (await call("GET", "/readers")).json()).toMatchObject([{ provider_name: "Frank" }]);
    expect((await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "franks" })).status).toBe(403);
  });

  test("who have not signed in yet are limited to a hundred per site", async () => {
    const responses = [];
    for (let n = 0; n <= 100; n++) responses.push(await call("POST", "/readers", { provider_login: `reader-${n}` }));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(responses.at(-1)?.status).toBe(409);
    expect(await responses.at(-1)?.json()).toEqual({ detail: expect.stringContaining("100 readers") });
    expect((await call("POST", "/readers", { provider_login: "reader-0" })).status).toBe(201);
  });
});

test("a group of the issuer lets people in until they leave it, or its twelve hours end", async () => {
  await invite(oidc, "lead");
  people.set("subject-of-lead", { preferred_username: "lead" });
  const { token: lead } = await signIn("subject-of-lead");
  await vitrine.deploy(lead, await zipOf({ "index.html": "x" }), { site: "handbook", access: "private" });
  const call = (method: string, path: string, json: unknown) =>
    vitrine.call(method, `/sites/handbook${path}`, { token: lead, json });
  const signInWith = async (claims: Claims) => {
    people.set("subject-of-gina", { preferred_username: "gina", ...claims });
    return signIn("subject-of-gina");
  };
  const roleOf = async (token: string) => {
    const sites = (await (await vitrine.call("GET", "/sites", { token })).json()) as { role: string }[];
    return sites[0]?.role;
  };
  const inGroups = { groups: ["/acme/staff", "/acme/docs"] };
  expect((await signInWith(inGroups)).page.status).toBe(403);

  expect((await call("POST", "/access/readers", { provider_login: "@/acme/staff" })).status).toBe(201);
  const first = await signInWith(inGroups);
  expect(first.page.status).toBe(200);
  const shared = await (await vitrine.call("GET", "/shared-sites", { token: first.token })).json();
  expect(shared).toMatchObject([{ name: "handbook", owner: "lead" }]);
  await call("PUT", `/members/${encodeURIComponent("@/acme/docs")}`, { role: "deployer" });
  expect(await roleOf(first.token)).toBe("deployer");
  expect((await vitrine.deploy(first.token, await zipOf({ "index.html": "y" }), { site: "handbook" })).status).toBe(
    201,
  );

  // An overage leaves what was told before, and a sign-in without the groups ends it for every session.
  expect(await roleOf((await signInWith({ hasgroups: true })).token)).toBe("deployer");
  expect((await signInWith({ groups: ["/acme/other"] })).page.status).toBe(403);
  expect(await roleOf(first.token)).toBeUndefined();
  await signInWith(inGroups);
  expect(await roleOf(first.token)).toBe("deployer");
  vitrine.advance(GROUPS_HOLD_MS);
  expect(await roleOf(first.token)).toBeUndefined();
  expect((await signInWith({ hasgroups: true })).page.status).toBe(403);
  expect(await roleOf((await signInWith({ groups: "/acme/docs" })).token)).toBe("deployer");
});

describe("with sign-up open", () => {
  let openOidc: OidcServer<TestApi>;
  let open: TestApi;
  beforeEach(() => people.clear());
  beforeAll(async () => {
    openOidc = await openOidcApi({ signup: "open" }, claimsOf);
    open = openOidc.server;
  });
  afterAll(() => openOidc[Symbol.asyncDispose]());

  test("a later user with an existing login gets another one, and the first keeps theirs", async () => {
    people.set("first", { preferred_username: "alice" }).set("second", { preferred_username: "alice" });
    for (const sub of ["first", "second", "first", "second"]) {
      const browser = open.browser();
      const left = await browser.get("/sign-in/provider");
      const back = await signInAtIssuer(left.headers.get("location") ?? "", openOidc.callback, sub);
      expect((await browser.get(back.pathname + back.search)).status).toBe(200);
    }
    const second = withSubject(await open.store.users.list(), `${openOidc.issuer.url}#second`);
    expect(await open.store.users.findByLogin("oidc", "alice")).toMatchObject({
      subject: `${openOidc.issuer.url}#first`,
    });
    expect(second?.login).toBe(`alice~${second?.id}`);
  });
});
