import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { exchangeOf } from "../acceptance/testing/token-exchange.ts";
import { GITHUB_PUSH, startIssuer } from "../clients/ci/testing/issuer.ts";
import { DAY, MINUTE } from "../domain/timestamp.ts";
import { openTestApi } from "./testing/test-api.ts";

const issuer = await startIssuer(() => server.clock.now());
const silent = await startIssuer(() => server.clock.now());
silent.respond = () => new Response("down", { status: 500 });
const issuers = [issuer.url, silent.url, "https://gitlab.com"].join(",");
const server = await openTestApi({ "ci-issuers": issuers, "exchange-rate": "1000/1m" });
const owner = (await server.signUp("ada")).token;
const archive = await zipOf({ "index.html": "hello" });
beforeAll(async () => {
  // The first exchange requests the issuer's keys, which may exceed the limit on a busy machine.
  while ((await exchange("no-such-site", await push())).status === 503);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await issuer.stop();
  await silent.stop();
});

const PUBLISHER = {
  provider: "github",
  repository: "octo/blog",
  workflow: "deploy.yml",
  ref: "refs/heads/main",
  permission: "publish",
};

const add = (site: string, json: object = {}) =>
  server.call("POST", `/sites/${site}/publishers`, {
    token: owner,
    json: { ...PUBLISHER, issuer: issuer.url, ...json },
  });
const listed = async (site: string) =>
  (await (await server.call("GET", `/sites/${site}/publishers`, { token: owner })).json()) as Record<string, unknown>[];

function push(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return issuer.sign({ ...GITHUB_PUSH, aud: server.baseUrl, ...claims });
}

interface ReceivedResponse {
  readonly status: number;
  readonly body: { readonly access_token: string; readonly error?: string; readonly detail: string };
  readonly headers: Headers;
}

async function exchange(site: string, idToken: string, fields: Record<string, string> = {}): Promise<ReceivedResponse> {
  const form = new URLSearchParams({ ...exchangeOf(site, idToken), ...fields });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const response = await server.call("POST", "/auth/token", { body: form.toString(), headers });
  return {
    status: response.status,
    body: (await response.json()) as ReceivedResponse["body"],
    headers: response.headers,
  };
}

async function newSite(name: string): Promise<string> {
  expect((await server.deploy(owner, archive, { site: name })).status).toBe(201);
  return name;
}

test("a workflow deploys without a stored secret, and the history names it", async () => {
  const site = await newSite("story");
  const added = await add(site);
  expect(added.status).toBe(201);
  const publisher = (await added.json()) as { id: string };
  expect(publisher).toMatchObject({ ...PUBLISHER, issuer: issuer.url, environment: null, repository_id: null });

  const { status, body, headers } = await exchange(site, await push());
  expect(status).toBe(200);
  expect(body as unknown).toEqual({
    access_token: expect.stringMatching(/^vtd_[0-9A-Za-z]{33}$/),
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 600,
    scope: "site:story",
  });
  expect(headers.get("cache-control")).toBe("no-store");

  const token = body.access_token;
  expect((await server.deploy(token, archive, { site })).status).toBe(201);
  const history = await (await server.call("GET", `/sites/${site}/deployments`, { token })).json();
  expect(history).toMatchObject([{ source: "deployment_token", actor: "octo/blog (deploy.yml)", active: true }, {}]);
  expect(await (await server.call("GET", "/tokens", { token: owner })).json()).toEqual([]);
  expect(await listed(site)).toMatchObject([
    { repository_id: "74", owner_id: "65", last_used_at: expect.stringMatching(/Z$/) },
  ]);

  const audit = (await (await server.call("GET", `/sites/${site}/audit`, { token: owner })).json()) as unknown[];
  expect(JSON.stringify(audit)).not.toContain(token);
  expect(audit).toContainEqual(
    expect.objectContaining({ actor: "octo/blog (deploy.yml)", kind: "deployment_token", action: "POST /auth/token" }),
  );

  server.advance(10 * MINUTE);
  expect((await server.deploy(token, archive, { site })).status).toBe(401);
});

test("a publisher for previews gives a token that cannot activate anything", async () => {
  const site = await newSite("previews");
  await add(site, { permission: "preview", ref: undefined });
  const { body } = await exchange(site, await push({ ref: "refs/pull/7/merge", event_name: "pull_request" }));
  const token = body.access_token;
  expect((await server.deploy(token, archive, { site })).status).toBe(403);
  const headers = { "X-Service-Alias": "pr-7" };
  const preview = await server.deploy(token, archive, { site, headers });
  expect([preview.status, await preview.json()]).toEqual([
    201,
    expect.objectContaining({ active: false, alias: "pr-7" }),
  ]);
  const activated = await server.call("POST", `/sites/${site}/deployments/2/activate`, { token });
  expect(activated.status).toBe(403);
});

test("removing a publisher revokes its tokens", async () => {
  const site = await newSite("removed");
  const { id } = (await (await add(site)).json()) as { id: string };
  const { access_token: token } = (await exchange(site, await push())).body;
  const path = `/sites/${site}/publishers/${id}`;
  expect((await server.call("DELETE", path, { token: owner })).status).toBe(204);
  expect((await server.deploy(token, archive, { site })).status).toBe(401);
  expect((await exchange(site, await push())).body).toMatchObject({ error: "invalid_target" });
  expect((await server.call("DELETE", path, { token: owner })).status).toBe(404);
});

describe("is refused:", () => {
  let site: string;
  let attempt = 0;
  beforeEach(async () => {
    site = await newSite(`refused-${++attempt}`);
    await add(site);
  });

  const refused = async (idToken: Promise<string> | string, error: string, detail: string) => {
    const response = await exchange(site, await idToken);
    expect([response.status, response.body.error]).toEqual([400, error]);
    expect(response.body.detail).toStartWith(detail);
    expect(response.body.detail).not.toContain(await idToken);
  };

  test("an ID token with another audience, an invalid time, or a second use", async () => {
    await refused(push({ aud: "https://elsewhere.example" }), "invalid_request", "aud:");
    const now = Math.floor(server.clock.now() / 1000);
    await refused(push({ iat: now - 601, exp: now + 3600 }), "invalid_request", "iat:");
    await refused(push({ exp: now - 1 }), "invalid_request", "exp:");
    await refused(push({ jti: undefined }), "invalid_request", "jti:");
    const token = await push();
    expect((await exchange(site, token)).status).toBe(200);
    await refused(token, "invalid_request", "jti: the ID token was used before");
  });

  test("an ID token with an invalid signature, without details of its claims", async () => {
    const token = await push({ ref: "refs/heads/dev" });
    await refused(`${token.slice(0, -4)}AAAA`, "invalid_request", "the signature of the ID token is not valid");
    await refused("no token", "invalid_request", "the subject_token is not an ID token");
    await refused(push({ iss: "https://issuer.example" }), "invalid_request", "iss:");
  });

  test("a run that differs, with the names of the differing claims", async () => {
    const fits = "the ID token does not fit the publisher: ";
    await refused(
      push({ ref: "refs/heads/dev" }),
      "invalid_target",
      `${fits}ref: "refs/heads/dev", but the publisher asks for "refs/heads/main"`,
    );
    await refused(push({ event_name: "pull_request_target" }), "invalid_target", `${fits}event_name:`);
    const other = "octo/blog/.github/workflows/other.yml@refs/heads/main";
    await refused(push({ workflow_ref: other }), "invalid_target", `${fits}workflow_ref:`);
  });

  test("another repository, also with the old name of the right one; a renamed one is accepted", async () => {
    expect((await exchange(site, await push())).status).toBe(200);
    expect((await exchange(site, await push({ repository: "octo/journal" }))).status).toBe(200);
    await refused(
      push({ repository_id: "99" }),
      "invalid_target",
      "the ID token does not fit the publisher: repository_id:",
    );
    await refused(push({ repository: "eve/blog", repository_id: "99" }), "invalid_target", "no publisher of this site");
  });

  test("an unknown publisher has the same response as an unknown site", async () => {
    const bare = await newSite(`bare-${attempt}`);
    const [there, nowhere] = [await exchange(bare, await push()), await exchange("no-such-site", await push())];
    expect([there.status, there.body]).toEqual([nowhere.status, nowhere.body]);
  });

  test.each([
    [{ grant_type: "client_credentials" }],
    [{ subject_token_type: "urn:ietf:params:oauth:token-type:access_token" }],
    [{ scope: "everything" }],
    [{ scope: "" }],
    [{ subject_token: "" }],
  ])("a request with %p", async (fields) => {
    const response = await exchange(site, await push(), fields);
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"]);
  });

  test("a request in another format", async () => {
    for (const options of [{}, { json: [] }, { body: "{", headers: { "Content-Type": "text/plain" } }]) {
      const response = await server.call("POST", "/auth/token", options);
      expect([response.status, ((await response.json()) as ReceivedResponse["body"]).error]).toEqual([
        400,
        "invalid_request",
      ]);
    }
  });

  test("a frozen site", async () => {
    const { id } = (await server.store.sites.find(site))!;
    await server.store.sites.setFrozen(id, { at: server.clock.now(), reason: "unpaid" });
    await refused(push(), "invalid_target", "site is frozen");
  });
});

describe("a publisher", () => {
  test.each<[object, string, string]>([
    [{ ref: undefined }, "ref", "Give a ref or an environment"],
    [{ provider: "woodpecker" }, "provider", "Expected one of github, gitlab, forgejo"],
    [{ issuer: "http://10.0.0.1" }, "issuer", "http://10.0.0.1 is not an accepted issuer"],
    [{ issuer: undefined }, "issuer", "https://token.actions.githubusercontent.com is not an accepted issuer"],
    [{ provider: "forgejo", issuer: undefined }, "issuer", "Give the issuer"],
    [{ repository: "octo" }, "repository", "Give owner/repository"],
    [{ repository: "octo/blog/../x y" }, "repository", "Give owner/repository"],
    [{ workflow: ".github/workflows/deploy.yml" }, "workflow", "Give the name of the workflow's file"],
    [{ ref: "main" }, "ref", "Give the whole ref"],
    [{ permission: "admin" }, "permission", "Expected one of publish, preview"],
    [{ permission: undefined }, "permission", "Field required"],
  ])("with %p is refused", async (json, field, message) => {
    const site = "fields";
    if (!(await server.store.sites.find(site))) await newSite(site);
    const response = await add(site, json);
    expect(response.status).toBe(422);
    const { detail } = (await response.json()) as { detail: { loc: string[]; msg: string }[] };
    expect(detail).toMatchObject([{ loc: ["body", field], msg: expect.stringContaining(message) }]);
  });

  test("of GitLab has its issuer by default", async () => {
    const site = await newSite("gitlab");
    const added = await add(site, { provider: "gitlab", issuer: undefined });
    expect(await added.json()).toMatchObject({ issuer: "https://gitlab.com" });
  });

  test("is limited to 20 per site", async () => {
    const site = await newSite("many");
    for (let number = 0; number < 20; number++) expect((await add(site)).status).toBe(201);
    expect((await add(site)).status).toBe(409);
  });
});

test("exchanges are limited to 30 per minute and address", async () => {
  await using limited = await openTestApi();
  const ask = () => limited.call("POST", "/auth/token", { json: {} });
  // An invalid request costs nothing and does not count.
  expect((await ask()).status).toBe(400);
  const token = await issuer.sign({ iss: "https://issuer.example" });
  const form = new URLSearchParams(exchangeOf("x", token)).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const exchanges = () => limited.call("POST", "/auth/token", { body: form, headers });
  for (let number = 0; number < 30; number++) expect((await exchanges()).status).toBe(400);
  const refused = await exchanges();
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
});

test("used ID tokens and expired tokens are removed", async () => {
  const site = await newSite("swept");
  await add(site);
  expect((await exchange(site, await push())).status).toBe(200);
  const later = server.clock.now() + 2 * DAY;
  expect(await server.store.publishers.deleteUsedIdTokens(later)).toBeGreaterThan(0);
  expect(await server.store.publishers.deleteTokens(later)).toBeGreaterThan(0);
});

test("if the issuer does not respond, an exchange asks to retry, and nothing is published", async () => {
  const site = await newSite("silent");
  await add(site, { issuer: silent.url });
  const { status, headers, body } = await exchange(site, await silent.sign({ ...GITHUB_PUSH, aud: server.baseUrl }));
  expect(status).toBe(503);
  expect(Number(headers.get("retry-after"))).toBeWithin(1, 31);
  expect(body.detail).toContain(silent.url);
});
