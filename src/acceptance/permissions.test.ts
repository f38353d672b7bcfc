import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemSecrets } from "../app/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import type { User } from "../domain/accounts/user.ts";
import { newSecret } from "../domain/tokens/secret.ts";
import { addSite } from "../storage/contract/people.ts";
import { addLocalAccount } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

/** A status with the beginning of its `detail`, or a success. */
type Outcome = readonly [status: number, detail: string] | number;

/** What each kind of caller gets. Nobody, and whoever shows a credential that holds no more, get 401 unless it is `open`. */
interface Row {
  readonly operation: string;
  readonly owner: Outcome;
  /** Another person, who owns a site of their own. */
  readonly stranger: Outcome;
  /** A deployment token of the site in question. */
  readonly token: Outcome;
  /** A deployment token of the stranger's site. */
  readonly otherToken: Outcome;
  readonly json?: unknown;
  readonly open?: Outcome | undefined;
}

const SESSION: Outcome = [403, "a session token is required"];
const OPERATOR: Outcome = [403, "operator permission is required"];
const OWNERSHIP: Outcome = [403, "site ownership is required"];
const DEPLOY: Outcome = [403, "credential cannot deploy this site"];
const NO_TOKEN: Outcome = [404, "the deployment token does not exist"];
const NO_SESSION: Outcome = [404, "the session does not exist"];
const WRONG_PASSWORD: Outcome = [403, "the old password is wrong"];
const UNAUTHENTICATED: Outcome = [401, "authentication is required"];

const people = (operation: string, status = 200): Row => ({
  operation,
  owner: status,
  stranger: status,
  token: SESSION,
  otherToken: SESSION,
});
const bySession = (operation: string, owner: Outcome, json?: unknown): Row => ({
  operation,
  owner,
  stranger: OWNERSHIP,
  token: SESSION,
  otherToken: SESSION,
  json,
});
const owners = (operation: string, owner: Outcome, json?: unknown): Row => ({
  operation,
  owner,
  stranger: OWNERSHIP,
  token: OWNERSHIP,
  otherToken: OWNERSHIP,
  json,
});
const operators = (operation: string): Row => ({
  operation,
  owner: OPERATOR,
  stranger: OPERATOR,
  token: OPERATOR,
  otherToken: OPERATOR,
});
const deployers = (operation: string, status: number, refusal = OWNERSHIP): Row => ({
  operation,
  owner: status,
  stranger: refusal,
  token: status,
  otherToken: refusal,
});
/** For every credential that holds. */
const anybody = (operation: string, outcome: Outcome): Row => ({
  operation,
  owner: outcome,
  stranger: outcome,
  token: outcome,
  otherToken: outcome,
});
const everybody = (operation: string, open: Outcome, json?: unknown): Row => ({
  ...anybody(operation, open),
  open,
  json,
});

const MATRIX: readonly Row[] = [
  deployers("POST /deploy", 201, DEPLOY),
  people("GET /sites"),
  people("GET /shared-sites"),
  bySession("DELETE /sites/{name}", 204),
  deployers("GET /sites/{name}/deployments", 200),
  deployers("POST /sites/{name}/deployments/{deployment_number}/activate", 200),
  bySession("GET /sites/{name}/deployments/{deployment_number}/archive", 200),
  bySession("GET /sites/{name}/deployments/{deployment_number}/changes", 200),
  bySession("GET /sites/{name}/explain", 200),

  bySession("GET /sites/{name}/retention", 200),
  { ...bySession("PUT /sites/{name}/retention", 200), json: { keep_last: 5, keep_days: null } },
  bySession("DELETE /sites/{name}/retention", 204),
  bySession("GET /sites/{name}/retention/preview", 200),
  bySession("POST /sites/{name}/deployments/{deployment_number}/pin", 200),
  bySession("DELETE /sites/{name}/deployments/{deployment_number}/pin", 204),

  bySession("GET /sites/{name}/analytics", 200),

  people("GET /audit"),
  bySession("GET /sites/{name}/audit", 200),

  owners("GET /sites/{site_name}/access", 200),
  owners("PUT /sites/{site_name}/access", 200),
  owners("DELETE /sites/{site_name}/access", 204),
  owners("GET /sites/{site_name}/access/readers", 200),
  owners("POST /sites/{site_name}/access/readers", 201, { provider_login: "grace" }),
  owners("DELETE /sites/{site_name}/access/readers/{reader_id}", 204),
  owners("GET /sites/{site_name}/access/provider-users/{provider_login}", 200),

  people("GET /capabilities/custom-domains"),
  owners("GET /sites/{site_name}/domains", 200),
  { ...owners("POST /sites/{site_name}/domains", 201), json: { hostname: "www.{site_name}.example.org" } },
  owners("POST /sites/{site_name}/domains/{claim_id}/check", [503, ""]),
  owners("DELETE /sites/{site_name}/domains/{claim_id}", 204),
  owners("POST /sites/{site_name}/domains/{claim_id}/transition/cancel", [409, ""]),
  owners("POST /sites/{site_name}/domains/{claim_id}/transition/retry", [409, ""]),

  bySession("GET /sites/{name}/webhooks", 200),
  bySession("POST /sites/{name}/webhooks", 201, { url: "https://hooks.example.org/" }),
  bySession("GET /sites/{name}/webhooks/{webhook_id}", 200),
  bySession("PATCH /sites/{name}/webhooks/{webhook_id}", 200, { enabled: true }),
  bySession("DELETE /sites/{name}/webhooks/{webhook_id}", 204),
  bySession("POST /sites/{name}/webhooks/{webhook_id}/rotate", 200),
  bySession("POST /sites/{name}/webhooks/{webhook_id}/test", 201),
  bySession("GET /sites/{name}/webhooks/{webhook_id}/deliveries", 200),
  bySession("POST /sites/{name}/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", 200),

  bySession("GET /sites/{name}/publishers", 200),
  bySession("POST /sites/{name}/publishers", 201, {
    provider: "github",
    repository: "octo/blog",
    permission: "preview",
  }),
  bySession("DELETE /sites/{name}/publishers/{publisher_id}", 204),
  everybody("POST /auth/token", [400, "send a form with grant_type"]),

  bySession("POST /tokens", 201, { site_name: "{site_name}" }),
  people("GET /tokens"),
  { ...people("DELETE /tokens/{token_id}", 204), stranger: NO_TOKEN },

  people("GET /auth/me"),
  {
    ...people("POST /auth/password"),
    owner: WRONG_PASSWORD,
    stranger: WRONG_PASSWORD,
    json: { old_password: "a guess", new_password: "staple correct horse" },
  },
  {
    ...people("POST /auth/confirm"),
    owner: [403, "the password is wrong"],
    stranger: [403, "the password is wrong"],
    json: { password: "a guess" },
  },
  people("DELETE /auth/session", 204),
  people("GET /auth/sessions"),
  { ...people("DELETE /auth/sessions/{session_id}", 204), stranger: NO_SESSION },
  operators("GET /admin/users"),
  operators("POST /admin/users"),
  operators("GET /admin/users/{login}"),
  operators("PATCH /admin/users/{login}"),
  operators("DELETE /admin/users/{login}"),
  operators("POST /admin/users/{login}/password-link"),
  operators("GET /admin/users/{login}/sessions"),
  operators("DELETE /admin/users/{login}/sessions"),
  operators("DELETE /admin/users/{login}/sessions/{session_id}"),
  operators("GET /admin/sites"),
  operators("PATCH /admin/sites/{name}"),
  operators("DELETE /admin/sites/{name}"),
  operators("POST /admin/sites/{name}/transfer"),
  operators("GET /admin/settings"),
  operators("GET /admin/audit"),
  everybody("POST /auth/device", 200),
  everybody("POST /auth/device/token", [400, "invalid grant"], { device_code: "unknown" }),

  anybody("GET /capabilities/hosting", 200),
  everybody("GET /capabilities/limits", 200),
  everybody("GET /health", 200),
  everybody("GET /ready", 200),
  everybody("GET /version", 200),
];

let server: TestServer;
let owner: User;
let stranger: User;
let archive: Uint8Array;

beforeAll(async () => {
  // A resolver that answers nothing: claims can be made, and are never verified.
  server = await startTestServer({ "routing-targets": "A:203.0.113.7", "dns-resolvers": "127.0.0.1:1" });
  owner = (await server.signUp("ada")).user;
  stranger = (await server.signUp("eve")).user;
  await addLocalAccount(server, "grace");
  await addSite(server.store, "eves", stranger.id, false);
  archive = await zipOf({ "index.html": "hello" });
});
afterAll(() => server[Symbol.asyncDispose]());

function signIn(user: User): Promise<{ token: string; session: { id: number } }> {
  const ports = { store: server.store, clock: server.clock, secrets: systemSecrets };
  return startSession(ports, { userId: user.id, clientName: "test", address: null });
}

/** A fresh private site of the owner's for one operation, with everything that its path may name. */
async function prepare(operation: string, siteName: string) {
  const site = await addSite(server.store, siteName, owner.id, true);
  const reader = await server.store.readers.add(site.id, await addReaderOf(siteName), 0);
  const { id: tokenId } = await server.mintDeploymentToken(siteName);
  return {
    name: siteName,
    site_name: siteName,
    deployment_number: "1",
    reader_id: String(typeof reader === "string" ? 0 : reader.id),
    provider_login: "grace",
    login: "grace",
    token_id: tokenId,
    // Claims are few a minute, so that they are made only for who needs one.
    claim_id: operation.includes("{claim_id}") ? String(await claim(siteName)) : "",
    session_id: String((await signIn(owner)).session.id),
    publisher_id: await addPublisherOf(site.id, siteName),
    webhook_id: `${siteName}-hook`,
    delivery_id: String(await addWebhook(site.id, `${siteName}-hook`)),
  };
}

/** Adds a publisher, and returns its id. */
async function addPublisherOf(siteId: number, id: string): Promise<string> {
  const run = { repository: "octo/blog", workflow: null, ref: null, environment: null, permission: "preview" } as const;
  const issuer = "https://token.actions.githubusercontent.com";
  await server.store.publishers.add({ id, siteId, provider: "github", issuer, ...run, createdAt: 0 }, 1);
  return id;
}

/** Adds a webhook that nothing can be delivered to, and returns its one delivery. */
async function addWebhook(siteId: number, id: string): Promise<number> {
  const { webhooks } = server.store;
  await webhooks.add({ id, siteId, url: "http://127.0.0.1/", events: null, secret: "whsec_AA==", createdAt: 0 }, 1);
  return (await webhooks.notify(id, { type: "ping", data: {} }, 0)).id;
}

async function claim(siteName: string): Promise<number> {
  const { token } = await signIn(owner);
  const json = { hostname: `${siteName}.example.org` };
  const claimed = await server.call("POST", `/sites/${siteName}/domains`, { token, json });
  expect(claimed.status).toBe(201);
  return ((await claimed.json()) as { id: number }).id;
}

async function addReaderOf(siteName: string): Promise<User> {
  return (await server.signUp(`reader-of-${siteName}`)).user;
}

/** Every credential there is, the ones that hold no more included. */
async function credentials(siteName: string) {
  const revoked = await server.mintDeploymentToken(siteName);
  await server.store.tokens.revoke(revoked.id, owner.id);
  const signedOut = await signIn(owner);
  await server.store.sessions.revoke(signedOut.session.id, owner.id);
  const { token } = await signIn(owner);
  return {
    dead: {
      nobody: undefined,
      "a malformed token": `${token.slice(0, -1)}!`,
      "a token with a wrong checksum": `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`,
      "a token that never was": newSecret(systemSecrets, "vtd"),
      "an expired token": (await server.mintDeploymentToken(siteName, 1)).token,
      "a revoked token": revoked.token,
      "a revoked session": signedOut.token,
    },
    otherToken: (await server.mintDeploymentToken("eves")).token,
    token: (await server.mintDeploymentToken(siteName)).token,
    stranger: (await signIn(stranger)).token,
    owner: token,
  };
}

async function request(row: Row, path: string, siteName: string, token: string | undefined): Promise<Outcome> {
  const [method = ""] = row.operation.split(" ");
  const json = row.json && JSON.parse(JSON.stringify(row.json).replace("{site_name}", siteName));
  const answer =
    path === "/deploy" && token !== undefined
      ? await server.deploy(token, archive, { site: siteName })
      : await server.call(method, path, { token, json });
  if (answer.ok) {
    await answer.arrayBuffer();
    return answer.status;
  }
  if (answer.status === 401) expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  return [answer.status, ((await answer.json()) as { detail: string }).detail];
}

function expectOutcome(got: Outcome, wanted: Outcome): void {
  const told =
    typeof got === "object" && typeof wanted === "object" ? [got[0], got[1].slice(0, wanted[1].length)] : got;
  expect(told as unknown).toEqual(wanted);
}

describe.each(MATRIX.map((row, index) => [row.operation, row, `matrix-${index}`] as const))(
  "%s",
  (operation, row, siteName) => {
    let path: string;
    let callers: Awaited<ReturnType<typeof credentials>>;
    beforeAll(async () => {
      const parameters: Record<string, string> = await prepare(operation, siteName);
      path = (operation.split(" ")[1] ?? "").replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? "");
      callers = await credentials(siteName);
    });

    test("without a credential that holds", async () => {
      for (const credential of Object.values(callers.dead)) {
        expectOutcome(await request(row, path, siteName, credential), row.open ?? UNAUTHENTICATED);
      }
    });

    // The owner comes last: what they do may leave nothing to judge.
    test.each(["otherToken", "token", "stranger", "owner"] as const)("as %s", async (caller) => {
      expectOutcome(await request(row, path, siteName, callers[caller]), row[caller]);
    });
  },
);

test("the table names every operation there is", async () => {
  const document = (await (await server.call("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(MATRIX.map((row) => row.operation).sort()).toEqual(operations.sort());
});

test("a site that was there before its name became the server's own stays its owner's", async () => {
  await using vitrine = await startTestServer({
    workers: "1",
    "base-url": "http://hub.pages.test",
    "sites-domain": "pages.test",
  });
  const { user, token } = await vitrine.signUp("ada");
  const archive = await zipOf({ "index.html": "hello" });
  const refused = await vitrine.deploy(token, archive, { site: "hub" });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("this name is reserved")]);
  await addSite(vitrine.store, "hub", user.id, false);
  const { token: ofSite } = await vitrine.mintDeploymentToken("hub");
  for (const credential of [token, ofSite]) {
    expect((await vitrine.deploy(credential, archive, { site: "hub" })).status).toBe(201);
  }
});
