import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { may, OPERATIONS, ROLES, type Role } from "../domain/model/role.ts";
import type { User } from "../domain/model/user.ts";
import { newSecret } from "../domain/tokens/secret.ts";
import { addSite } from "../storage/contract/people.ts";
import { webhookOf } from "../storage/contract/records.ts";
import type { Auth, Route } from "./route.ts";
import { routes } from "./routes/routes.ts";
import { openTestApi, resultOf } from "./testing/test-api.ts";

/** A status, with the beginning of its `detail` if it is an error. */
type Outcome = readonly [status: number, detail: string] | number;

const SESSION: Outcome = [403, "a session token is required"];
const OWNERSHIP: Outcome = [403, "site ownership is required"];
const ROLE: Outcome = [403, "your role on this site does not allow this"];
const DEPLOY: Outcome = [403, "credential cannot deploy this site"];
const OPERATOR: Outcome = [403, "operator permission is required"];
const NO_TOKEN: Outcome = [404, "the deployment token does not exist"];
const NO_PASSKEY: Outcome = [404, "the passkey does not exist"];
const NO_SESSION: Outcome = [404, "the session does not exist"];
const UNAUTHENTICATED: Outcome = [401, "authentication is required"];

/**
 * The expected outcome for each kind of caller. `success` is the route's normal response. A stranger is a user who owns
 * another site, and `otherToken` is a deployment token of that site. An operator is a stranger except for operator
 * routes. What the roles on a site may do comes from `may`.
 */
interface Outcomes {
  /** Without a credential, or with an invalid, expired or revoked one. */
  readonly nobody: Outcome | "success";
  readonly otherToken: Outcome | "success";
  readonly token: Outcome | "success";
  /** A session of the owner's whose scope is to publish on this site. */
  readonly limited: Outcome | "success";
  readonly stranger: Outcome | "success";
  readonly reader: Outcome | "success";
  readonly deployer: Outcome | "success";
  readonly maintainer: Outcome | "success";
  readonly owner: Outcome | "success";
}

const PUBLIC: Outcomes = {
  nobody: "success",
  otherToken: "success",
  token: "success",
  limited: "success",
  stranger: "success",
  reader: "success",
  deployer: "success",
  maintainer: "success",
  owner: "success",
};
const CREDENTIAL: Outcomes = { ...PUBLIC, nobody: UNAUTHENTICATED };
const PEOPLE: Outcomes = { ...CREDENTIAL, otherToken: SESSION, token: SESSION, limited: SESSION };

const BY_AUTH: Readonly<Record<Exclude<Auth, "site">, Outcomes>> = {
  public: PUBLIC,
  optional: PUBLIC,
  credential: CREDENTIAL,
  session: PEOPLE,
  person: { ...PEOPLE, limited: "success" },
  operator: {
    nobody: UNAUTHENTICATED,
    otherToken: OPERATOR,
    token: OPERATOR,
    limited: OPERATOR,
    stranger: OPERATOR,
    reader: OPERATOR,
    deployer: OPERATOR,
    maintainer: OPERATOR,
    owner: OPERATOR,
  },
};

/** What an operation's credential implies for deployment tokens and limited sessions. */
const BY_CREDENTIAL = {
  any: { otherToken: OWNERSHIP, token: "success", limited: "success" },
  session: { otherToken: SESSION, token: SESSION, limited: SESSION },
  account: { otherToken: OWNERSHIP, token: OWNERSHIP, limited: OWNERSHIP },
} as const;

function outcomesOf({ auth, operation }: Route): Outcomes {
  if (operation === null) return BY_AUTH[auth as keyof typeof BY_AUTH];
  const byRole = (role: Role) => (may(role, operation) ? "success" : ROLE);
  return {
    nobody: UNAUTHENTICATED,
    ...BY_CREDENTIAL[OPERATIONS[operation].credential],
    stranger: OWNERSHIP,
    reader: byRole("reader"),
    deployer: byRole("deployer"),
    maintainer: byRole("maintainer"),
    owner: byRole("owner"),
  };
}

const OWN_PASSKEY = { stranger: NO_PASSKEY, reader: NO_PASSKEY, deployer: NO_PASSKEY, maintainer: NO_PASSKEY } as const;

/** The routes whose outcome differs from what `auth` implies. */
const EXCEPTIONS: Readonly<Record<string, Partial<Outcomes> & { readonly success?: Outcome }>> = {
  "POST /deploy": { success: 201, stranger: DEPLOY, otherToken: DEPLOY },
  "POST /sites/:name/domains/:claim_id/check": { success: [503, ""] },
  "POST /sites/:name/domains/:claim_id/transition/cancel": { success: [409, ""] },
  "POST /sites/:name/domains/:claim_id/transition/retry": { success: [409, ""] },
  "DELETE /sites/:name/deployments/:deployment_number": { success: [409, "the deployment is active"] },
  "PUT /sites/:name/aliases/:alias": { success: 200 },
  "DELETE /tokens/:token_id": { stranger: NO_TOKEN, reader: NO_TOKEN, deployer: NO_TOKEN },
  "DELETE /auth/sessions/:session_id": {
    stranger: NO_SESSION,
    reader: NO_SESSION,
    deployer: NO_SESSION,
    maintainer: NO_SESSION,
  },
  "POST /auth/password": { success: [403, "the old password is wrong"] },
  "POST /auth/passkeys": { success: [400, "the passkey was not accepted"] },
  "PATCH /auth/passkeys/:passkey_id": OWN_PASSKEY,
  "DELETE /auth/passkeys/:passkey_id": OWN_PASSKEY,
  "DELETE /auth/password": { success: [409, "there is no password here"] },
  "POST /sign-in/passkey": { success: [401, "login or password is wrong"] },
  "POST /auth/token": { success: [400, ""] },
  "POST /auth/oauth/token": { success: [400, "send a form"] },
  "POST /auth/oauth/revoke": { success: [400, "send a form"] },
  "POST /auth/confirm": { success: [403, "the password is wrong"] },
  "GET /admin/backups/:backup_id/archive": { success: [404, "the backup is no longer in"] },
  // The server has no other nodes.
  "POST /admin/nodes/:node_name/drain": { success: [404, "there is no node called"] },
  // The server runs from a checkout.
  "GET /download/:file": { success: [404, "there is nothing at /download/"] },
  "POST /auth/device/token": { success: [400, "invalid grant"] },
};

/** Request bodies for routes whose example in the schema cannot be used here. */
const BODIES: Readonly<Record<string, object>> = {
  "POST /sites/:name/shares": { label: "The client", kind: "link" },
  "PATCH /sites/:name/webhooks/:webhook_id": { enabled: true },
  "POST /admin/users": { login: "linus" },
};

const READER = "grace";

const CALLERS = ["otherToken", "token", "limited", "stranger", "operator", ...ROLES] as const;
type Caller = (typeof CALLERS)[number];

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const documented = routes.filter(({ summary }) => summary !== null);

const credentials = new Map<Caller, string>();

// The resolver does not respond, so claims can be made and are never verified.
const api = await openTestApi({
  "sign-in-rate": "1000/1m",
  "passkey-rate": "1000/1m",
  "claim-rate": "1000/1m",
  "claim-burst-rate": "1000/1m",
  "routing-targets": "A:203.0.113.7",
  "dns-resolvers": "127.0.0.1:1",
});
const owner = (await api.signUp("ada")).user;
const stranger = (await api.signUp("eve")).user;
const operator = (await api.signUp("root")).user;
const reader = (await api.signUp("rita")).user;
const deployer = (await api.signUp("dora")).user;
const maintainer = (await api.signUp("mona")).user;
await api.store.users.setOperator(operator.id, true);
await api.signUp(READER);
await addSite(api.store, "eves", stranger.id, false);
const archive = await zipOf({ "index.html": "hello" });
const invalid = await invalidCredentials();
afterAll(() => api[Symbol.asyncDispose]());

/** Begins a session that may do nothing but publish on one site. */
async function limitedSession(user: User, siteName: string): Promise<{ token: string }> {
  const ports = { store: api.store, clock: api.clock, secrets: systemSecrets };
  const { id = 0 } = (await api.store.sites.find(siteName)) ?? {};
  const limit = { permission: "publish", sites: [{ id, name: siteName }] } as const;
  return startSession(ports, { userId: user.id, clientName: "test", address: null, limit });
}

function signIn(user: User): Promise<{ token: string; session: { id: number } }> {
  const ports = { store: api.store, clock: api.clock, secrets: systemSecrets };
  return startSession(ports, { userId: user.id, clientName: "test", address: null, signedIn: true });
}

/** Creates a private site with what the path names, because each change waits for the disk. Returns its values. */
async function prepare({ path }: Route, siteName: string): Promise<Readonly<Record<string, string>>> {
  const site = await addSite(api.store, siteName, owner.id, true);
  const needsUser = /:(reader_id|login|session_id)|\/members\//.test(path);
  const user = needsUser ? (await api.signUp(`reader-of-${siteName}`)).user : owner;
  await addRoles(site.id, path.includes("/members/") ? [user] : []);
  let delivery = 0;
  const makers: Readonly<Record<string, () => string | Promise<string>>> = {
    name: () => siteName,
    deployment_number: () => "1",
    reader_id: () => addReader(site.id, user),
    provider_login: () => READER,
    login: () => user.login,
    token_id: async () => (await api.mintDeploymentToken(siteName)).id,
    claim_id: async () => String(await claim(siteName)),
    session_id: async () => String((await signIn(path.startsWith("/admin/") ? user : owner)).session.id),
    alias: () => addAlias(site.id),
    job_name: () => "sweep",
    file: () => "vitrine-linux-x64",
    node_name: () => "eu-1",
    publisher_id: () => addPublisher(site.id, siteName),
    passkey_id: () => addPasskey(siteName),
    share_id: () => addShare(site.id, siteName),
    backup_id: () => addBackup(),
    async webhook_id() {
      delivery = await addWebhook(site.id, `${siteName}-hook`);
      return `${siteName}-hook`;
    },
    delivery_id: () => String(delivery),
  };
  const values: Record<string, string> = { name: siteName };
  for (const [, name = ""] of path.matchAll(/:(\w+)/g)) values[name] = (await makers[name]?.()) ?? "";
  return values;
}

async function addReader(siteId: number, user: User): Promise<string> {
  const added = await api.store.readers.add(siteId, user, 0);
  return String(typeof added === "string" ? 0 : added.id);
}

async function addRoles(siteId: number, others: readonly User[]): Promise<void> {
  await api.store.readers.add(siteId, reader, 0);
  const { set } = api.store.members;
  for (const identity of [deployer, ...others]) {
    await set(siteId, { identity }, { role: "deployer", addedBy: owner.id, at: 0 });
  }
  await set(siteId, { identity: maintainer }, { role: "maintainer", addedBy: owner.id, at: 0 });
}

/** Adds a webhook with an unreachable URL. Returns its only delivery. */
async function addWebhook(siteId: number, id: string): Promise<number> {
  const { webhooks } = api.store;
  await webhooks.add(webhookOf(siteId, { id, url: "http://127.0.0.1/" }), 1);
  return (await webhooks.notify(id, { type: "ping", data: {} }, 0)).id;
}

/** Adds a complete backup whose archive was deleted. Returns its id. */
async function addBackup(): Promise<string> {
  const id = `20261123T02000${String(backups++).padStart(4, "0")}Z`;
  await api.store.backups.add("elsewhere", [{ id, createdAt: 0, bytes: 0 }]);
  return id;
}
let backups = 0;

/** Adds an alias. Returns its name. */
async function addAlias(siteId: number): Promise<string> {
  await api.store.previews.setAlias(siteId, { name: "pr-1", deploymentNumber: 1, expiresAt: null, at: 0 });
  return "pr-1";
}

async function addShare(siteId: number, id: string): Promise<string> {
  const hashes = { secretHash: id, passwordHash: null };
  const share = { id, siteId, label: "client", kind: "link", target: "", createdAt: 0, expiresAt: 1 } as const;
  await api.store.shares.add({ ...share, ...hashes }, 1);
  return id;
}

/** Adds a passkey of the owner for another host, which is no way in here. Returns its id. */
async function addPasskey(id: string): Promise<string> {
  const key = {
    credentialId: id,
    relyingPartyId: "other.example",
    publicKey: new Uint8Array(),
    algorithm: -7,
    counter: 0,
  };
  await api.store.passkeys.add({ id, userId: owner.id, name: id, createdAt: 0, ...key }, 1000);
  return id;
}

async function addPublisher(siteId: number, id: string): Promise<string> {
  const run = { repository: "octo/blog", workflow: null, ref: null, environment: null, permission: "preview" } as const;
  const issuer = "https://token.actions.githubusercontent.com";
  await api.store.publishers.add(
    { id, siteId, provider: "github", issuer, ...run, makerId: owner.id, createdAt: 0 },
    1,
  );
  return id;
}

async function claim(siteName: string): Promise<number> {
  const { token } = await signIn(owner);
  const json = { hostname: `${siteName}.example.org` };
  const claimed = await api.call("POST", `/sites/${siteName}/domains`, { token, json });
  expect(claimed.status).toBe(201);
  return ((await claimed.json()) as { id: number }).id;
}

async function invalidCredentials(): Promise<readonly (string | undefined)[]> {
  const revoked = await api.mintDeploymentToken("eves");
  await api.store.tokens.delete(revoked.id);
  const signedOut = await signIn(owner);
  await api.store.sessions.revoke(signedOut.session.id, owner.id);
  const { token } = await signIn(owner);
  const malformed = `${token.slice(0, -1)}!`;
  const wrongChecksum = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
  const expired = (await api.mintDeploymentToken("eves", 1)).token;
  const neverIssued = newSecret(systemSecrets, "vtd");
  return [undefined, malformed, wrongChecksum, neverIssued, expired, revoked.token, signedOut.token];
}

/** Returns a credential of a caller, which is the same for all routes that end none. */
async function credentialOf(caller: Caller, siteName: string, isEnded: boolean): Promise<string> {
  const people: Partial<Record<Caller, User>> = { stranger, operator, reader, deployer, maintainer, owner };
  const user = people[caller];
  if (caller === "token") return (await api.mintDeploymentToken(siteName)).token;
  if (caller === "limited") return (await limitedSession(owner, siteName)).token;
  const known = isEnded ? undefined : credentials.get(caller);
  if (known !== undefined) return known;
  const { token } = await (user ? signIn(user) : api.mintDeploymentToken("eves"));
  if (!isEnded) credentials.set(caller, token);
  return token;
}

async function request(route: Route, values: Readonly<Record<string, string>>, token?: string): Promise<Outcome> {
  const { name: site = "" } = values;
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? "");
  const example = BODIES[nameOf(route)] ?? route.body?.examples?.[0];
  const json = {
    site_name: { ...example, site_name: site },
    hostname: { ...example, hostname: `${site}.example.org` },
    neither: example,
  }[["site_name", "hostname"].find((field) => route.body?.properties?.[field]) ?? "neither"];
  const response =
    path === "/deploy" && token !== undefined
      ? await api.deploy(token, archive, { site })
      : await api.call(route.method, path, { token, json });
  if (response.status === 401) expect(response.headers.get("www-authenticate")).toBe("Bearer");
  return response.ok ? response.status : resultOf(response);
}

function expectOutcome(got: Outcome, wanted: Outcome): void {
  const shortened =
    typeof got === "object" && typeof wanted === "object" ? [got[0], got[1].slice(0, wanted[1].length)] : got;
  expect<unknown>(shortened).toEqual(wanted);
}

describe.each(documented.map((route, index) => [nameOf(route), route, `matrix-${index}`] as const))(
  "%s",
  (name, route, siteName) => {
    const { success: exception, ...exceptions } = EXCEPTIONS[name] ?? {};
    const success = exception ?? (route.produces ? 200 : Number(Object.keys(route.response)[0] ?? 204));
    const outcomes: Outcomes = { ...outcomesOf(route), ...exceptions };
    const wanted = (caller: keyof Outcomes | "operator") => {
      const outcome =
        caller !== "operator" ? outcomes[caller] : route.auth === "operator" ? "success" : outcomes.stranger;
      return outcome === "success" ? success : outcome;
    };
    let values: Readonly<Record<string, string>>;

    beforeAll(async () => {
      values = await prepare(route, siteName);
    });

    test("without a valid credential", async () => {
      for (const credential of invalid) expectOutcome(await request(route, values, credential), wanted("nobody"));
    });

    test.each(CALLERS)("as %s", async (caller) => {
      // What one caller deletes or claims is not there for the next one.
      const isGoneThen = route.method === "DELETE" || name === "POST /sites/:name/domains";
      const isFresh = isGoneThen && wanted(caller) === success;
      const of = isFresh ? await prepare(route, `${siteName}-${caller.toLowerCase()}`) : values;
      const isEnded = route.method !== "GET" && route.path.startsWith("/auth/");
      const credential = await credentialOf(caller, of.name ?? "", isEnded);
      expectOutcome(await request(route, of, credential), wanted(caller));
    });
  },
);

test("every exception refers to an existing route", () => {
  const names = documented.map(nameOf);
  expect([...Object.keys(EXCEPTIONS), ...Object.keys(BODIES)].filter((name) => !names.includes(name))).toEqual([]);
});

test("no unexpected error was reported", () => {
  expect(api.reported).toEqual([]);
});

test("a site whose name became reserved later stays its owner's", async () => {
  await using renamed = await openTestApi({ "base-url": "http://hub.pages.test", "sites-domain": "pages.test" });
  const { user, token } = await renamed.signUp("ada");
  const refused = await renamed.deploy(token, archive, { site: "hub" });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("this name is reserved")]);
  await addSite(renamed.store, "hub", user.id, false);
  const { token: ofSite } = await renamed.mintDeploymentToken("hub");
  for (const credential of [token, ofSite]) {
    expect((await renamed.deploy(credential, archive, { site: "hub" })).status).toBe(201);
  }
});
