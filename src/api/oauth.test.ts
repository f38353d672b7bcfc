import { afterAll, describe, expect, test } from "bun:test";
import * as oauth from "openid-client";
import { systemSecrets } from "../clients/system/secrets.ts";
import { authenticateAgent, refreshTokens } from "../domain/agents/tokens.ts";
import { DAY, HOUR, MINUTE } from "../domain/timestamp.ts";
import { addSite } from "../storage/contract/people.ts";
import { agentOf, pkce, REDIRECT, type Tokens } from "./testing/agent.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi({ "registration-rate": "1000/1m" });
const agent = agentOf(api);
const { token: ada, user } = await api.signUp("ada");
for (const name of ["blog", "docs"]) await addSite(api.store, name, user.id, false);
afterAll(() => api[Symbol.asyncDispose]());

const json = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Record<string, unknown>;

/** Returns the sessions of a person. */
const sessions = async (token = ada) =>
  (await (await api.call("GET", "/auth/sessions", { token })).json()) as {
    client_name: string;
    scope?: string;
    id: number;
  }[];

const BLOG = { site: "blog" };

test("the documents say who gives access, and how", async () => {
  const base = api.config.baseUrl;
  for (const path of ["", "/mcp"]) {
    expect(await json(api.call("GET", `/.well-known/oauth-protected-resource${path}`))).toMatchObject({
      resource: `${base}/mcp`,
      authorization_servers: [base],
    });
  }
  const server = await api.call("GET", "/.well-known/oauth-authorization-server");
  expect(server.headers.get("access-control-allow-origin")).toBeNull();
  expect(await json(server)).toMatchObject({
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

describe("a person who is asked", () => {
  test("signs in first, and sees who asks, for what, and where the answer goes", async () => {
    const query = agent.request(await agent.register(), pkce().challenge, { scope: "publish new-sites site:blog" });
    const strange = await api.browser().get(`/authorize?${query}`);
    const returnTo = new URL(strange.headers.get("location") ?? "", api.config.baseUrl);
    expect([returnTo.pathname, returnTo.searchParams.get("return_to")]).toEqual(["/sign-in", `/authorize?${query}`]);
    const page = await agent.browserOf(ada).get(`/authorize?${query}`);
    expect([page.status, page.headers.get("x-frame-options")]).toEqual([200, "DENY"]);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const shown = await page.text();
    for (const text of ["Claude", "127.0.0.1:7777", "ada", "Publish on the sites", "Make new sites", "blog"]) {
      expect(shown).toContain(text);
    }
    expect(shown).not.toContain("Full access");
  });

  test("limits the agent to what they choose", async () => {
    const tokens = await agent.connect(ada, { extent: "preview", ...BLOG, expires: "1h" }, "publish new-sites");
    expect(tokens).toMatchObject({ scope: "preview site:blog", expires_in: 3600, token_type: "Bearer" });
    expect(await sessions()).toContainEqual(
      expect.objectContaining({ client_name: "Claude", scope: "preview site:blog" }),
    );
  });

  test("can let it make sites, and must choose something", async () => {
    expect((await agent.connect(ada, { new_sites: "yes" }, "new-sites")).scope).toBe("preview new-sites");
    const query = agent.request(await agent.register(), pkce().challenge);
    for (const choice of [
      {},
      { new_sites: "yes" },
      { site: "theirs" },
      { extent: "publish", ...BLOG },
      { extent: "full" },
    ]) {
      const again = await agent
        .browserOf(ada)
        .submit("/authorize", { request: `?${query}`, verdict: "approved", ...choice });
      expect([again.status, again.headers.get("location")]).toEqual([400, null]);
    }
    const { token } = await api.signUp("without sites");
    expect((await agent.connect(token, { new_sites: "yes" })).scope).toBe("preview new-sites");
  });

  test("denies, and the agent gets access_denied", async () => {
    const answer = await agent.consent(ada, agent.request(await agent.register(), pkce().challenge), {}, "denied");
    expect(Object.fromEntries(answer)).toMatchObject({
      error: "access_denied",
      state: "the state",
      iss: api.config.baseUrl,
    });
  });

  test("is not asked by a page of another origin", async () => {
    const query = agent.request(await agent.register(), pkce().challenge);
    const fields = { request: `?${query}`, verdict: "approved", ...BLOG };
    const forged = await agent.browserOf(ada).submit("/authorize", fields, "https://evil.example");
    expect([forged.status, forged.headers.get("location")]).toEqual([403, null]);
  });
});

describe("a request", () => {
  test.each<[string, Record<string, string>]>([
    ["of an unknown client", { client_id: "unknown" }],
    ["of no client", { client_id: "" }],
    ["of a client at plain HTTP", { client_id: "http://editor.example/client.json" }],
    ["of a client without a path", { client_id: "https://editor.example/" }],
    ["of a client at a private address", { client_id: "https://10.0.0.1/client.json" }],
    ["of a client at this machine", { client_id: "https://localhost/client.json" }],
    ["for another address", { redirect_uri: "https://evil.example/callback" }],
    ["for another path", { redirect_uri: `${REDIRECT}/..` }],
    ["for an address with a query", { redirect_uri: `${REDIRECT}?a=b` }],
    ["for a script", { redirect_uri: "javascript:alert(1)" }],
    ["without an address", { redirect_uri: "" }],
  ])("%s gets a page, never a redirect", async (_, other) => {
    const query = agent.request(await agent.register(), pkce().challenge, other);
    for (const browser of [api.browser(), agent.browserOf(ada)]) {
      const response = await browser.get(`/authorize?${query}`);
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
      expect(response.headers.get("content-type")).toStartWith("text/html");
    }
    const approved = await agent
      .browserOf(ada)
      .submit("/authorize", { request: `?${query}`, verdict: "approved", ...BLOG });
    expect([approved.status, approved.headers.get("location")]).toEqual([400, null]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["for a token", { response_type: "token" }, "unsupported_response_type"],
    ["without PKCE", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
    ["with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["with a short challenge", { code_challenge: "short" }, "invalid_request"],
    ["without a resource", { resource: "" }, "invalid_target"],
    ["for another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["for the resource with a slash", { resource: "http://localhost:8080/mcp/" }, "invalid_target"],
    ["for the whole account", { scope: "full" }, "invalid_scope"],
    ["for an unknown scope", { scope: "preview admin" }, "invalid_scope"],
  ])("%s is an error at the redirect URL, with the state and the issuer", async (_, other, error) => {
    const query = agent.request(await agent.register(), pkce().challenge, other);
    const response = await api.browser().get(`/authorize?${query}`);
    const location = new URL(response.headers.get("location") ?? "");
    expect(location.href).toStartWith(`${REDIRECT}?`);
    const { error: told, state, iss } = Object.fromEntries(location.searchParams);
    expect([response.status, told, state, iss]).toEqual([303, error, "the state", api.config.baseUrl]);
  });

  test("with a parameter twice is refused: with its client or address by a page", async () => {
    const query = agent.request(await agent.register(), pkce().challenge);
    for (const name of ["client_id", "redirect_uri"]) {
      const response = await api
        .browser()
        .get(`/authorize?${query}&${name}=${encodeURIComponent(query.get(name) ?? "")}`);
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    }
    for (const [name, error] of [
      ["resource", "invalid_target"],
      ["code_challenge", "invalid_request"],
      ["scope", "invalid_request"],
    ]) {
      const twice = new URLSearchParams([...query, ["scope", ""], [name ?? "", "x"]]);
      const response = await api.browser().get(`/authorize?${twice}`);
      expect(new URL(response.headers.get("location") ?? "").searchParams.get("error")).toBe(error ?? null);
    }
  });

  test("may name another port of the user's machine", async () => {
    const other = "http://127.0.0.1:50123/callback";
    const { verifier, challenge } = pkce();
    const client = await agent.register();
    const answer = await agent.consent(ada, agent.request(client, challenge, { redirect_uri: other }), BLOG);
    const code = { client, code: answer.get("code") ?? "", verifier };
    expect((await agent.redeem(code)).status).toBe(400);
    expect((await agent.redeem(code, { redirect_uri: other })).status).toBe(200);
  });
});

describe("a code", () => {
  test.each<[string, Record<string, string>, string]>([
    ["with another verifier", { code_verifier: pkce().verifier }, "invalid_grant"],
    ["with a short verifier", { code_verifier: "short" }, "invalid_grant"],
    ["without a verifier", { code_verifier: "" }, "invalid_request"],
    ["of another client", { client_id: "other" }, "invalid_grant"],
    ["without a client", { client_id: "" }, "invalid_request"],
    ["for another address", { redirect_uri: "https://claude.ai/api/mcp/auth_callback" }, "invalid_grant"],
    ["for another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["that was invented", { code: "invented" }, "invalid_grant"],
    ["with another grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ])("is not redeemed %s", async (_, other, error) => {
    const code = await agent.newCode(ada, BLOG);
    const refused = await agent.redeem(code, other);
    expect([refused.status, (await json(refused)).error]).toEqual([400, error]);
    expect((await agent.redeem(code)).status).toBe(200);
  });

  test("is not redeemed after a minute, with a field twice, or as JSON", async () => {
    const late = await agent.newCode(ada, BLOG);
    api.advance(MINUTE);
    expect(await json(agent.redeem(late))).toMatchObject({ error: "invalid_grant" });
    const good = await agent.newCode(ada, BLOG);
    const form = new URLSearchParams(agent.fieldsOf(good)).toString();
    for (const [type, body] of [
      ["application/x-www-form-urlencoded", `${form}&scope=a&scope=b`],
      ["text/plain", form],
      ["application/json", JSON.stringify(agent.fieldsOf(good))],
    ] as const) {
      const refused = api.call("POST", "/auth/oauth/token", { headers: { "Content-Type": type }, body });
      expect(await json(refused)).toMatchObject({ error: "invalid_request" });
    }
    expect((await agent.redeem(good)).status).toBe(200);
  });

  test("that is used twice ends what it gave", async () => {
    const code = await agent.newCode(ada, { site: "docs" });
    const tokens = (await json(agent.redeem(code, { resource: agent.resource }))) as unknown as Tokens;
    expect(await sessions()).toContainEqual(expect.objectContaining({ scope: "preview site:docs" }));
    expect(await json(agent.redeem(code))).toMatchObject({ error: "invalid_grant" });
    expect(await json(agent.refresh(code.client, tokens.refresh_token))).toMatchObject({ error: "invalid_grant" });
    expect((await sessions()).map(({ scope }) => scope)).not.toContain("preview site:docs");
  });

  test("may leave the resource out", async () => {
    const { client, code, verifier } = await agent.newCode(ada, BLOG);
    const fields = {
      grant_type: "authorization_code",
      client_id: client,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    };
    expect((await agent.post("token", fields)).status).toBe(200);
  });
});

describe("the tokens of an agent", () => {
  test("are no credential of the API", async () => {
    const { access_token, refresh_token } = await agent.connect(ada, BLOG);
    for (const token of [access_token, refresh_token, refresh_token.split(".")[0] ?? ""]) {
      for (const path of ["/auth/me", "/sites", "/sites/blog/deployments"]) {
        expect((await api.call("GET", path, { token })).status).toBe(401);
      }
    }
  });

  test("are good at the base URL at which they were given", async () => {
    const { client, access_token, refresh_token } = await agent.connect(ada, BLOG);
    const ports = { ...api, secrets: systemSecrets };
    const moved = "https://moved.example/mcp";
    expect(await authenticateAgent(ports, access_token, agent.resource)).toMatchObject({ agent: { name: "Claude" } });
    await expect(authenticateAgent(ports, access_token, moved)).rejects.toMatchObject({ kind: "unauthenticated" });
    const asked = { refreshToken: refresh_token, clientId: client, resource: null, scope: null };
    expect(await refreshTokens(ports, asked, moved)).toMatchObject({ error: "invalid_grant" });
  });

  test("are replaced, and end when one that was replaced is used again", async () => {
    const first = await agent.connect(ada, { site: "docs" });
    const second = (await json(
      agent.refresh(first.client, first.refresh_token, { resource: agent.resource }),
    )) as unknown as Tokens;
    expect(second).toMatchObject({ scope: "preview site:docs", expires_in: 3600 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    for (const [other, error] of [
      [{ client_id: "other" }, "invalid_grant"],
      [{ resource: "https://other.example/" }, "invalid_target"],
      [{ scope: "admin" }, "invalid_scope"],
      [{ refresh_token: "" }, "invalid_request"],
      [{ refresh_token: first.access_token }, "invalid_grant"],
    ] as const) {
      expect(await json(agent.refresh(first.client, second.refresh_token, other))).toMatchObject({ error });
    }
    expect(await json(agent.refresh(first.client, first.refresh_token))).toMatchObject({ error: "invalid_grant" });
    expect(await json(agent.refresh(first.client, second.refresh_token))).toMatchObject({ error: "invalid_grant" });
  });

  test("end 90 days after consent, and 30 days after the last refresh", async () => {
    await using later = await openTestApi();
    const grace = agentOf(later);
    const { token } = await later.signUp("grace");
    let { client, refresh_token } = await grace.connect(token, { new_sites: "yes" });
    const idle = await grace.connect(token, { new_sites: "yes" });
    for (let day = 0; day < 87; day += 29) {
      later.advance(29 * DAY);
      ({ refresh_token } = (await json(grace.refresh(client, refresh_token))) as unknown as Tokens);
    }
    later.advance(2 * DAY + 23.5 * HOUR);
    const last = (await json(grace.refresh(client, refresh_token))) as unknown as Tokens;
    expect(last.expires_in).toBeLessThanOrEqual(1800);
    later.advance(HOUR);
    expect(await json(grace.refresh(client, last.refresh_token))).toMatchObject({ error: "invalid_grant" });
    expect(await json(grace.refresh(idle.client, idle.refresh_token))).toMatchObject({ error: "invalid_grant" });
  });

  test("end with a revocation, which touches no other token", async () => {
    const { token } = await api.signUp("hopper");
    const kept = await agent.connect(token, { new_sites: "yes" });
    for (const pick of ["access_token", "refresh_token"] as const) {
      const tokens = await agent.connect(token, { new_sites: "yes" });
      expect((await agent.post("revoke", { token: tokens[pick], client_id: "other" })).status).toBe(200);
      expect(await sessions(token)).toHaveLength(3);
      expect((await agent.post("revoke", { token: tokens[pick], client_id: tokens.client })).status).toBe(200);
      expect(await json(agent.refresh(tokens.client, tokens.refresh_token))).toMatchObject({ error: "invalid_grant" });
    }
    expect((await agent.post("revoke", { token })).status).toBe(200);
    expect(await sessions(token)).toHaveLength(2);
    expect(await json(agent.post("revoke", {}))).toMatchObject({ error: "invalid_request" });
    expect((await agent.refresh(kept.client, kept.refresh_token)).status).toBe(200);
  });

  test("end with a new password, and so do codes", async () => {
    const { token, user } = await api.signUp("lovelace");
    const code = await agent.newCode(token, { new_sites: "yes" });
    const tokens = await agent.connect(token, { new_sites: "yes" });
    await api.store.users.setPassword(user.id, "another hash");
    expect(await json(agent.redeem(code))).toMatchObject({ error: "invalid_grant" });
    expect(await json(agent.refresh(tokens.client, tokens.refresh_token))).toMatchObject({ error: "invalid_grant" });
  });
});

describe("a registration", () => {
  test.each<[object, string]>([
    [{ redirect_uris: ["https://evil.example/callback"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [REDIRECT, "https://claude.ai/api/mcp/auth_callback#a"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_client_metadata"],
    [{ redirect_uris: REDIRECT }, "invalid_client_metadata"],
    [{ redirect_uris: [7] }, "invalid_client_metadata"],
    [{ redirect_uris: Array.from({ length: 21 }, (_, n) => `http://localhost:${n}/`) }, "invalid_client_metadata"],
    [{ client_name: "without an address" }, "invalid_client_metadata"],
  ])("of %j is refused", async (body, error) => {
    const response = await api.call("POST", "/auth/oauth/register", { json: body });
    expect([response.status, (await json(response)).error]).toEqual([400, error]);
  });

  test("gives an id and no secret, and takes any name for what it is: a stranger's text", async () => {
    const body = {
      client_name: "<b>Claude</b>\u202e",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback", REDIRECT],
    };
    const response = await api.call("POST", "/auth/oauth/register", {
      json: { ...body, token_endpoint_auth_method: "client_secret_post" },
    });
    const client = await json(response);
    expect([response.status, client.token_endpoint_auth_method, client.client_secret]).toEqual([
      201,
      "none",
      undefined,
    ]);
    const page = await agent
      .browserOf(ada)
      .get(`/authorize?${agent.request(String(client.client_id), pkce().challenge)}`);
    expect(await page.text()).toContain("&#60;b&#62;Claude&#60;/b&#62;\ufffd");
  });

  test("is limited to 20 a minute and address, and to 1,000 that nobody uses", async () => {
    await using limited = await openTestApi();
    const { register } = agentOf(limited);
    for (let n = 0; n < 20; n++) expect(await register()).toBeString();
    const refused = await limited.call("POST", "/auth/oauth/register", { json: { redirect_uris: [REDIRECT] } });
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    const oldest = await agent.register();
    const used = await agent.connect(ada, BLOG);
    for (let n = 0; n < 1000; n++)
      await api.store.agents.addClient(
        { id: `flood ${n}`, name: "x", redirectUris: [], createdAt: api.clock.now() + n },
        1000,
      );
    const known = async (client: string) =>
      (await api.browser().get(`/authorize?${agent.request(client, pkce().challenge)}`)).status;
    expect([await known(oldest), await known(used.client)]).toEqual([400, 303]);
  });

  test("by a document causes 20 fetches a minute and address", async () => {
    await using limited = await openTestApi();
    const ask = (n: number) => {
      const client = `https://10.0.0.1/client.json?${n}`;
      return limited.browser().get(`/authorize?${agent.request(client, pkce().challenge)}`);
    };
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) statuses.push((await ask(n)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 400), 429]);
  });
});

test("with --mcp off there is nothing of it", async () => {
  await using off = await openTestApi({ mcp: "off" });
  const paths = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/authorize",
  ];
  for (const path of paths) expect((await off.call("GET", path)).status).toBe(404);
  for (const path of ["/auth/oauth/token", "/auth/oauth/register", "/auth/oauth/revoke", "/authorize"]) {
    expect((await off.call("POST", path, { json: {} })).status).toBe(404);
  }
});

test("another implementation of OAuth gets and refreshes tokens", async () => {
  const through = (url: string, { headers, body, method }: oauth.CustomFetchOptions) => {
    const { pathname, search } = new URL(url);
    return api.call(method, pathname + search, {
      headers: { ...headers },
      body: body === undefined || body === null ? null : String(body),
    } as never);
  };
  const options: oauth.DiscoveryRequestOptions = {
    algorithm: "oauth2",
    execute: [oauth.allowInsecureRequests],
    [oauth.customFetch]: through,
  };
  const client = await agent.register();
  const config = await oauth.discovery(new URL(api.config.baseUrl), client, undefined, oauth.None(), options);
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: "preview",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource: agent.resource,
    state,
  });
  const answer = await agent.consent(ada, url.searchParams, BLOG);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await oauth.authorizationCodeGrant(config, new URL(`${REDIRECT}?${answer}`), checks, {
    resource: agent.resource,
  });
  expect(tokens).toMatchObject({ scope: "preview site:blog", token_type: "bearer" });
  const next = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? "");
  expect(next.access_token).not.toBe(tokens.access_token);
  const mixedUp = new URLSearchParams(answer);
  mixedUp.set("iss", "https://evil.example");
  expect(oauth.authorizationCodeGrant(config, new URL(`${REDIRECT}?${mixedUp}`), checks)).rejects.toThrow();
  await oauth.tokenRevocation(config, next.access_token);
  expect(oauth.refreshTokenGrant(config, next.refresh_token ?? "")).rejects.toThrow();
});
