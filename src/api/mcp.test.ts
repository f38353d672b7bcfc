import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { createMCPClient, type OAuthClientProvider as OtherProvider } from "@ai-sdk/mcp";
import {
  Client,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { zipOf } from "../acceptance/testing/archives.ts";
import { DomainError } from "../domain/errors.ts";
import { addSite } from "../storage/contract/people.ts";
import { agentOf, clientInMemory, type Tokens } from "./testing/agent.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

const api = await openTestApi({ "registration-rate": "1000/1m", "mcp-call-rate": "1000/1m" });
const agent = agentOf(api);
const ada = await addAda(api);
afterAll(() => api[Symbol.asyncDispose]());

/** Adds a person with a public and a private site. Returns their session token. */
async function addAda(to: TestApi): Promise<string> {
  const { token, user } = await to.signUp("ada");
  for (const name of ["blog", "diary"]) await addSite(to.store, name, user.id, name === "diary");
  const eve = await to.signUp("eve");
  await addSite(to.store, "theirs", eve.user.id, false);
  return token;
}

const PAGE = { path: "index.html", content: "<!doctype html><title>Hello</title>" };
const FILES = [PAGE, { path: "a/dot.png", content: "iVBORw0KGgo=", encoding: "base64" }];

interface Result {
  readonly isError?: boolean;
  readonly structuredContent: Record<string, unknown>;
}

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

function post(
  token: string | null,
  message: unknown,
  headers: Record<string, string> = {},
  to = api,
): Promise<Response> {
  const bearer = token === null ? {} : { Authorization: `Bearer ${token}` };
  const body = typeof message === "string" ? message : JSON.stringify(message);
  return to.call("POST", "/mcp", { headers: { ...HEADERS, ...bearer, ...headers }, body });
}

const callOf = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

/** Calls a tool as a client of 2025 does, whose answers are event streams. */
async function run(token: string, name: string, args: object): Promise<Result> {
  const response = await post(token, callOf(name, args));
  const [, data = "{}"] = /^data: (.+)$/m.exec(await response.text()) ?? [];
  return (JSON.parse(data) as { result: Result }).result;
}

/** Fetches from the API under test. */
const through = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const request = new Request(String(url), init);
  const { pathname, search } = new URL(request.url);
  const body = request.method === "GET" ? null : await request.text();
  return api.call(request.method, pathname + search, { headers: Object.fromEntries(request.headers), body });
};

describe("a client that connects by the address", () => {
  let answer: URLSearchParams;

  /** A client that consents in the browser of the person. */
  function clientFor(choice: Record<string, string>) {
    return clientInMemory(async (url) => {
      answer = await agent.consent(ada, url.searchParams, choice);
    });
  }

  test("is the official one: it discovers, registers, asks for consent, calls tools, and asks for more", async () => {
    const { provider } = clientFor({ site: "blog", extent: "preview" });
    const open = () =>
      new StreamableHTTPClientTransport(new URL(agent.resource), { authProvider: provider, fetch: through as never });
    const newClient = () => new Client({ name: "test", version: "1" });
    const first = open();
    expect(
      await newClient()
        .connect(first)
        .catch((error) => error),
    ).toBeInstanceOf(UnauthorizedError);
    await first.finishAuth(answer);
    const client = newClient();
    await client.connect(open());
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "sites_list",
      "deployments_list",
      "explain",
      "report",
      "deploy_files",
      "share_preview",
      "activate",
    ]);
    expect(tools.every(({ annotations, inputSchema }) => annotations && inputSchema.examples)).toBe(true);
    const made = (await client.callTool({
      name: "deploy_files",
      arguments: { site: "blog", files: FILES, message: "Hello" },
    })) as unknown as Result;
    expect(made.structuredContent).toMatchObject({ site: "blog", active: false, files: 2 });
    const number = made.structuredContent.deployment_number;
    const more = client.callTool({ name: "activate", arguments: { site: "blog", deployment_number: number } });
    expect(await more.catch((error) => error)).toSatisfy(
      (error) => error instanceof InsufficientScopeError || error instanceof UnauthorizedError,
    );
    expect(answer.get("iss")).toBe(api.config.baseUrl);
    await client.close();
  });

  test("may be another one", async () => {
    const { kept, provider } = clientFor({ site: "blog" });
    const connect = () =>
      createMCPClient({
        transport: {
          type: "http",
          url: agent.resource,
          authProvider: provider as unknown as OtherProvider,
          fetch: through as never,
        },
      });
    await expect(connect()).rejects.toThrow();
    const { verifier = "", client } = kept;
    const code = { client: client?.client_id ?? "", code: answer.get("code") ?? "", verifier };
    const redeemed = await agent.redeem(code);
    kept.tokens = await redeemed.json();
    const other = await connect();
    const tools = await other.tools();
    expect(Object.keys(tools)).toContain("deploy_files");
    await other.close();
  });
});

describe("the entrance", () => {
  test("tells a stranger where to get access", async () => {
    const where = `Bearer resource_metadata="${api.config.baseUrl}/.well-known/oauth-protected-resource/mcp"`;
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await api.call(method, "/mcp", { headers: HEADERS, body: method === "POST" ? "{}" : null });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, where]);
    }
    const { token } = await api.signUp("gone");
    for (const wrong of ["nonsense", `${token}x`]) {
      const response = await post(wrong, callOf("sites_list", {}));
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([
        401,
        `${where}, error="invalid_token"`,
      ]);
    }
    const cookie = await post(null, callOf("sites_list", {}), { Cookie: `vitrine=${ada}` });
    expect(cookie.status).toBe(401);
  });

  test("refuses pages of other origins, bodies over 4 MiB, and what is not the protocol", async () => {
    const foreign = await post(ada, callOf("sites_list", {}), { Origin: "https://evil.example" });
    const large = await post(ada, `"${"x".repeat(4 * 1024 * 1024)}"`);
    const text = await post(ada, "hello", { "Content-Type": "text/plain" });
    const broken = await post(ada, "{");
    expect([foreign.status, large.status, text.status, broken.status]).toEqual([403, 413, 415, 400]);
    for (const method of ["GET", "DELETE"]) expect((await api.call(method, "/mcp", { token: ada })).status).toBe(405);
  });

  test("takes 60 calls a minute, also in a batch, and all other messages", async () => {
    await using limited = await openTestApi();
    const token = await addAda(limited);
    const batch = (count: number) => Array.from({ length: count }, (_, id) => ({ ...callOf("sites_list", {}), id }));
    expect((await post(token, batch(61), {}, limited)).status).toBe(429);
    expect((await post(token, batch(58), {}, limited)).status).toBe(200);
    for (const status of [200, 200, 429]) {
      const response = await post(token, callOf("sites_list", {}), {}, limited);
      expect([response.status, response.headers.has("retry-after")]).toEqual([status, status === 429]);
    }
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await post(token, list, {}, limited)).status).toBe(200);
    limited.advance(60_000);
    expect((await post(token, callOf("sites_list", {}), {}, limited)).status).toBe(200);
  });

  test("lets deployment tokens and sessions in, with their own powers", async () => {
    const { token } = await api.mintDeploymentToken("blog");
    expect((await run(token, "sites_list", {})).structuredContent).toMatchObject({ sites: [{ site: "blog" }] });
    expect((await run(ada, "sites_list", {})).structuredContent.sites).toHaveLength(2);
    const made = await run(token, "deploy_files", { site: "blog", files: [PAGE] });
    expect(made.structuredContent).toMatchObject({ site: "blog", active: false });
    for (const [name, args] of [
      ["deploy_files", { site: "diary", files: [PAGE] }],
      ["deployments_list", { site: "diary" }],
      ["share_preview", { site: "blog", deployment_number: made.structuredContent.deployment_number }],
      ["explain", { site: "blog", address: "/" }],
    ] as const) {
      expect(await run(token, name, args)).toMatchObject({ isError: true });
    }
  });

  test("speaks the protocol of 2026, and keeps no stream open", async () => {
    const named = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const ask = async (method: string, params: object, headers: Record<string, string> = {}) => {
      const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: named } };
      const standard = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...headers };
      return (await post(ada, message, standard)).text();
    };
    expect(await ask("server/discover", {})).toContain("2026-07-28");
    expect(await ask("tools/call", { name: "sites_list", arguments: {} }, { "Mcp-Name": "sites_list" })).toContain(
      "blog",
    );
    const streamed = await ask("subscriptions/listen", { notifications: { toolsListChanged: true } });
    expect(streamed).toContain("error");
  });

  test("loses an agent with its session", async () => {
    const { access_token, client, refresh_token } = await agent.connect(ada, { site: "blog" });
    expect((await post(access_token, callOf("sites_list", {}))).status).toBe(200);
    const next = (await (await agent.refresh(client, refresh_token)).json()) as Tokens;
    for (const token of [access_token, next.access_token]) {
      expect((await post(token, callOf("sites_list", {}))).status).toBe(200);
    }
    const sessions = (await (await api.call("GET", "/auth/sessions", { token: ada })).json()) as { id: number }[];
    await api.call("DELETE", `/auth/sessions/${sessions[0]?.id}`, { token: ada });
    for (const token of [access_token, next.access_token]) {
      expect((await post(token, callOf("sites_list", {}))).status).toBe(401);
    }
  });
});

describe("an agent", () => {
  let token: string;
  beforeAll(async () => {
    token = (await agent.connect(ada, { site: "blog" })).access_token;
  });

  test("sees the sites of its scope alone", async () => {
    const { sites } = (await run(token, "sites_list", {})).structuredContent as { sites: { site: string }[] };
    expect(sites.map(({ site }) => site)).toEqual(["blog"]);
    expect((await run(token, "explain", { site: "blog", address: "/missing" })).structuredContent).toMatchObject({
      status: 404,
    });
    for (const [name, args] of [
      ["deployments_list", { site: "diary" }],
      ["deployments_list", { site: "theirs" }],
      ["deployments_list", { site: "nowhere" }],
      ["explain", { site: "diary", address: "/" }],
      ["explain", { site: "blog", address: "https://evil.example/" }],
      ["deploy_files", { site: "diary", files: [PAGE] }],
      ["report", { site: "diary", deployment_number: 1 }],
      ["report", { site: "blog", deployment_number: 99 }],
      ["share_preview", { site: "diary", deployment_number: 1 }],
      ["share_preview", { site: "blog", deployment_number: 1 }],
      ["share_preview", { site: "blog" }],
    ] as const) {
      const { isError, structuredContent } = await run(token, name, args);
      expect([name, isError, typeof structuredContent.detail]).toEqual([name, true, "string"]);
    }
  });

  test("publishes previews, in whose history and audit its name is, and never changes the live site", async () => {
    const { alias_url, ...made } = (
      await run(token, "deploy_files", { site: "blog", alias: "New Header", files: FILES })
    ).structuredContent;
    expect(String(alias_url)).toContain("new-header--blog");
    const [newest] = (await (await api.call("GET", "/sites/blog/deployments", { token: ada })).json()) as Record<
      string,
      unknown
    >[];
    expect(newest).toMatchObject({
      deployment_number: made.deployment_number,
      active: false,
      agent: "Claude",
      actor: "ada",
    });
    const [record] = (await (await api.call("GET", "/audit", { token: ada })).json()) as Record<string, string>[];
    expect(record).toMatchObject({ kind: "mcp", actor: "ada", site: "blog" });
    expect(record?.summary).toEndWith("with the scope preview site:blog, by the agent Claude");
  });

  test.each<[string, object, string]>([
    ["no files", { files: [] }, "files"],
    ["201 files", { files: Array.from({ length: 201 }, (_, n) => ({ path: `${n}.txt`, content: "" })) }, "files"],
    ["files that are text", { files: "index.html" }, "files"],
    ["a file without content", { files: [{ path: "index.html" }] }, "files.0.content: Field required"],
    ["a number as content", { files: [{ path: "index.html", content: 7 }] }, "files.0.content"],
    ["an unknown encoding", { files: [{ ...PAGE, encoding: "hex" }] }, "files.0.encoding"],
    ["broken base64", { files: [{ ...PAGE, encoding: "base64" }] }, 'files[0] ("index.html"): content is no base64'],
    ["a path out of the site", { files: [{ ...PAGE, path: "../index.html" }] }, "leads out of the site"],
    ["an absolute path", { files: [{ ...PAGE, path: "/etc/passwd" }] }, "has an absolute path"],
    ["a path with a backslash", { files: [{ ...PAGE, path: "a\\b.html" }] }, "has a backslash"],
    ["a path with a control character", { files: [{ ...PAGE, path: "a\nb.html" }] }, "has a control character"],
    ["an empty path", { files: [{ ...PAGE, path: "" }] }, "has no name"],
    ["the same path twice", { files: [PAGE, PAGE] }, "archive is invalid"],
    ["a file that is a folder, too", { files: [PAGE, { path: "index.html/a", content: "" }] }, "archive is invalid"],
    ["too much content", { files: [{ path: "a.txt", content: "x".repeat(2_700_000) }] }, "leave the largest out"],
    ["an impossible alias", { alias: "---", files: [PAGE] }, "An alias needs a letter"],
    ["a message of two lines", { message: "a\nb", files: [PAGE] }, "message"],
    ["a number as site", { site: 7, files: [PAGE] }, "site"],
  ])("that sends %s gets an error that says so, and nothing is published", async (_, args, detail) => {
    const before = await api.call("GET", "/sites/blog/deployments", { token: ada });
    const result = await run(token, "deploy_files", { site: "blog", ...args });
    expect(result.isError).toBe(true);
    expect(String(result.structuredContent.detail)).toContain(detail);
    const after = await api.call("GET", "/sites/blog/deployments", { token: ada });
    expect(await after.text()).toBe(await before.text());
  });

  test("reads the report of what it made", async () => {
    const content = '<!doctype html><title>Broken</title><a href="/nowhere">there</a>';
    await run(token, "deploy_files", {
      site: "blog",
      files: [
        { path: "index.html", content },
        { ...PAGE, path: "404.html" },
      ],
    });
    await api.makeReports();
    expect((await run(token, "report", { site: "blog" })).structuredContent).toMatchObject({
      status: "ready",
      findings: [{ code: "broken_link", target: "/nowhere", file: "index.html" }],
    });
  });

  test("keeps files of one folder in it", async () => {
    const made = await run(token, "deploy_files", { site: "blog", files: [{ path: "docs/a.txt", content: "a" }] });
    const path = `/sites/blog/deployments/${made.structuredContent.deployment_number}/changes`;
    const { files } = (await (await api.call("GET", path, { token: ada })).json()) as { files: unknown[] };
    expect(files).toContainEqual({ path: "docs/a.txt", change: "added" });
  });

  test("of a member works on the site of somebody else, as far as their role goes", async () => {
    const { token: member, user } = await api.signUp("deployer");
    await api.call("PUT", "/sites/blog/members/deployer", { token: ada, json: { role: "deployer" } });
    const { access_token, scope } = await agent.connect(member, { site: "blog" });
    expect([scope, user.login]).toEqual(["preview site:blog", "deployer"]);
    const { sites } = (await run(access_token, "sites_list", {})).structuredContent;
    expect(sites).toEqual([expect.objectContaining({ site: "blog" })]);
    const made = await run(access_token, "deploy_files", { site: "blog", files: [PAGE] });
    expect(made.structuredContent).toMatchObject({ site: "blog", active: false });
    await api.call("DELETE", "/sites/blog/members/deployer", { token: ada });
    expect((await run(access_token, "sites_list", {})).structuredContent).toMatchObject({ sites: [] });
    expect(await run(access_token, "deploy_files", { site: "blog", files: [PAGE] })).toMatchObject({ isError: true });
  });

  test("cannot put anything live without the scope publish", async () => {
    const activate = callOf("activate", { site: "blog", deployment_number: 1 });
    for (const message of [activate, [callOf("sites_list", {}), activate]]) {
      const refused = await post(token, message);
      expect(refused.status).toBe(403);
      expect(refused.headers.get("www-authenticate")).toContain(
        'error="insufficient_scope", scope="publish site:blog"',
      );
    }
    const publisher = await agent.connect(ada, { site: "blog", extent: "publish" }, "publish");
    const activated = await run(publisher.access_token, "activate", { site: "blog", deployment_number: 1 });
    expect(activated.structuredContent).toMatchObject({ active: true, deployment_number: 1 });
    expect(await run(publisher.access_token, "activate", { site: "blog", deployment_number: 99 })).toMatchObject({
      isError: true,
    });
    const [record] = (await (await api.call("GET", "/audit", { token: ada })).json()) as Record<string, string>[];
    expect(record?.summary).toStartWith(
      "Activated deployment 1, with the scope publish site:blog, by the agent Claude",
    );
  });

  test("shares private previews that it made itself", async () => {
    const { access_token, client } = await agent.connect(ada, { site: "diary" });
    const made = await run(access_token, "deploy_files", { site: "diary", alias: "draft", files: FILES });
    const number = made.structuredContent.deployment_number;
    const shared = await run(access_token, "share_preview", { site: "diary", alias: "draft" });
    expect(String(shared.structuredContent.url)).toContain(`//${number}--diary.localhost`);
    const again = await agent.newCode(ada, { site: "diary" }, "", client);
    const renewed = (await (await agent.redeem(again)).json()) as Tokens;
    expect(
      (await run(renewed.access_token, "share_preview", { site: "diary", deployment_number: number })).isError,
    ).toBeUndefined();
    const other = await agent.connect(ada, { site: "diary" });
    for (const stranger of [other.access_token, ada]) {
      expect(await run(stranger, "share_preview", { site: "diary", deployment_number: number })).toMatchObject({
        isError: true,
        structuredContent: { detail: expect.stringContaining("is no preview that you made") },
      });
    }
  });

  test("makes new sites with the scope for it, and may go on with them", async () => {
    const refused = await post(token, callOf("deploy_files", { files: [PAGE] }));
    expect(refused.headers.get("www-authenticate")).toContain('scope="preview new-sites site:blog"');
    const { access_token } = await agent.connect(ada, { site: "blog", new_sites: "yes" }, "new-sites");
    const made = (await run(access_token, "deploy_files", { files: FILES })).structuredContent;
    const inAWeek = api.clock.now() + 7 * 86_400_000;
    expect(made).toMatchObject({ active: true, deployment_number: 1, warnings: expect.any(Array) });
    expect(Math.abs(Date.parse(String(made.site_expires_at)) - inAWeek)).toBeLessThan(60_000);
    const next = await run(access_token, "deploy_files", { site: made.site, files: [PAGE] });
    expect(next.structuredContent).toMatchObject({ site: made.site, active: false, deployment_number: 2 });
    const { sites } = (await run(access_token, "sites_list", {})).structuredContent;
    expect(sites).toContainEqual(expect.objectContaining({ site: made.site, expires_at: made.site_expires_at }));
    expect(await run(token, "deploy_files", { site: made.site, files: [PAGE] })).toMatchObject({ isError: true });
    const own = (await run(ada, "deploy_files", { files: [PAGE] })).structuredContent;
    expect(own).toMatchObject({ active: true, site_expires_at: expect.any(String) });
  });

  test("is told of a new site also if the database goes away before the site is added to the scope", async () => {
    const { access_token } = await agent.connect(ada, { new_sites: "yes" }, "new-sites");
    const away = new DomainError("unavailable", "it is away");
    using _ = spyOn(api.store.agents, "addSite").mockRejectedValue(away);
    const made = (await run(access_token, "deploy_files", { files: [PAGE] })).structuredContent;
    expect(made).toMatchObject({ active: true, deployment_number: 1 });
    expect((api.reported as unknown[]).pop()).toBe(away);
  });

  test("over stdio is that of the credential, which may share what it deployed", async () => {
    const headers = { "X-Service-Activate": "no", "X-Service-Agent": "vitrine%20mcp" };
    const deployed = await api.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "diary", headers });
    const { deployment_number: number } = (await deployed.json()) as { deployment_number: number };
    const shared = await run(ada, "share_preview", { site: "diary", deployment_number: number });
    expect(String(shared.structuredContent.url)).toContain(`//${number}--diary.`);
    const records = (await (await api.call("GET", "/audit", { token: ada })).json()) as Record<string, string>[];
    expect(records[1]).toMatchObject({
      kind: "mcp",
      actor: "ada",
      summary: expect.stringMatching(/by the agent vitrine mcp$/),
    });
  });

  test("asks for a tool that does not exist, and is told which do", async () => {
    const text = await (await post(token, callOf("sites_delete", { site: "blog" }))).text();
    expect(text).toContain("there are sites_list");
  });
});

test("no unexpected error was reported", () => {
  expect(api.reported).toEqual([]);
});
