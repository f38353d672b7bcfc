// Sends valid, nearly valid and hostile requests to /mcp and to the end points of OAuth. Fails for every response of 500
// and for every tool that fails for a reason that nobody foresaw.
//   node scripts/with-bun.mjs scripts/reliability/fuzz-agents.ts [REQUESTS; default 10000] [SEED; default: the time]
import fc from "fast-check";
import { Browser } from "../../src/acceptance/testing/browser.ts";
import { HOSTILE_TEXTS } from "../../src/acceptance/testing/hostile-values.ts";
import { startTestServer } from "../../src/acceptance/testing/test-server.ts";
import { agentOf, pkce, REDIRECT } from "../../src/api/testing/agent.ts";
import { addSite } from "../../src/storage/contract/people.ts";

const wanted = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);

const unlimited = { "registration-rate": "off", "mcp-call-rate": "off", "owner-deploy-rate": "off" };
await using api = await startTestServer(unlimited);
const { token, user } = await api.signUp("ada");
await addSite(api.store, "blog", user.id, true);
const agent = agentOf({ ...api, browser: () => new Browser(api.baseUrl) });
const connected = await agent.connect(
  token,
  { site: "blog", new_sites: "yes", extent: "publish" },
  "publish new-sites",
);
const code = await agent.newCode(token, { site: "blog" });

/** Values that mean something here, among those that mean nothing. */
const KNOWN: readonly string[] = [
  "",
  "blog",
  "S256",
  "code",
  "preview publish site:blog",
  "authorization_code",
  "refresh_token",
  agent.resource,
  REDIRECT,
  pkce().challenge,
  pkce().verifier,
  code.code,
  code.client,
  connected.client,
  connected.refresh_token,
  "https://localhost/client.json",
];
const text = fc.oneof(fc.constantFrom(...KNOWN), fc.constantFrom(...HOSTILE_TEXTS), fc.string());
const value = fc.oneof(text, fc.jsonValue(), fc.constantFrom(1, -1, 2 ** 53, null, true, [], {}));

const FIELDS = [
  "response_type",
  "client_id",
  "redirect_uri",
  "code_challenge",
  "code_challenge_method",
  "resource",
  "scope",
  "state",
  "grant_type",
  "code",
  "code_verifier",
  "refresh_token",
  "token",
  "verdict",
  "site",
  "extent",
  "expires",
];
/** Requests that are right, of which a few fields are replaced. */
const RIGHT: readonly Readonly<Record<string, string>>[] = [
  { ...Object.fromEntries(agent.request(connected.client, pkce().challenge)), verdict: "approved", site: "blog" },
  {
    grant_type: "authorization_code",
    client_id: code.client,
    code: code.code,
    redirect_uri: REDIRECT,
    code_verifier: code.verifier,
  },
  { grant_type: "refresh_token", client_id: connected.client, refresh_token: connected.refresh_token },
  { token: "vts_nonsense" },
  {},
];
const form = fc
  .tuple(fc.constantFrom(...RIGHT), fc.array(fc.tuple(fc.constantFrom(...FIELDS), text), { maxLength: 3 }))
  .map(([right, replaced]) => String(new URLSearchParams({ ...right, ...Object.fromEntries(replaced) })));

const file = fc.record(
  { path: fc.oneof(fc.constantFrom("index.html", "_redirects", "a/b.css"), text), content: text, encoding: text },
  { requiredKeys: [] },
);
const args = fc.record(
  {
    site: value,
    deployment_number: value,
    alias: value,
    message: value,
    address: value,
    files: fc.oneof(fc.array(file, { maxLength: 4 }), value),
  },
  { requiredKeys: [] },
);
const TOOLS = ["sites_list", "deployments_list", "explain", "report", "deploy_files", "share_preview", "activate"];
const METHODS = [
  "tools/call",
  "tools/call",
  "tools/call",
  "tools/list",
  "initialize",
  "ping",
  "server/discover",
  "notifications/cancelled",
];
const call = fc.record({
  jsonrpc: fc.constant("2.0"),
  id: fc.oneof({ weight: 9, arbitrary: fc.nat() }, fc.string(), fc.constant(null)),
  method: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...METHODS) }, fc.string()),
  params: fc.oneof(
    { weight: 6, arbitrary: fc.record({ name: fc.oneof(fc.constantFrom(...TOOLS), text), arguments: args }) },
    fc.jsonValue(),
  ),
});
const message = fc.oneof(
  { weight: 8, arbitrary: call.map((one) => JSON.stringify(one)) },
  fc.array(call, { maxLength: 5 }).map((batch) => JSON.stringify(batch)),
  fc.json(),
  text,
);

interface Draft {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const JSON_BODY = { "Content-Type": "application/json" };
const PROTOCOLS = ["2025-06-18", "2026-07-28", "1999-01-01"];

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 5, arbitrary: mcpDraft() },
  form.map((query) => ({ method: "GET", path: `/authorize?${query}`, body: null, headers: cookie() })),
  form.map((query) => ({
    method: "POST",
    path: "/authorize",
    body: `request=${encodeURIComponent(query)}&${query}`,
    headers: { ...FORM, ...cookie(), Origin: api.config.baseUrl },
  })),
  form.map((body) => ({ method: "POST", path: "/auth/oauth/token", body, headers: FORM })),
  form.map((body) => ({ method: "POST", path: "/auth/oauth/revoke", body, headers: FORM })),
  fc
    .record({ client_name: value, redirect_uris: fc.oneof(fc.array(text), value) }, { requiredKeys: [] })
    .map((body) => ({
      method: "POST",
      path: "/auth/oauth/register",
      body: JSON.stringify(body),
      headers: JSON_BODY,
    })),
);

function mcpDraft(): fc.Arbitrary<Draft> {
  const bearer = fc.constantFrom(connected.access_token, token, token, token, "vts_nonsense");
  const version = fc.option(fc.constantFrom(...PROTOCOLS), { freq: 1 });
  return fc.tuple(message, bearer, version).map(([body, secret, named]) => ({
    method: "POST",
    path: "/mcp",
    body,
    headers: {
      ...JSON_BODY,
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${secret}`,
      ...(named === null ? {} : { "MCP-Protocol-Version": named }),
    },
  }));
}

function cookie(): Record<string, string> {
  return { Cookie: `vitrine=${token}` };
}

const statuses: Record<string, number> = {};
const started = performance.now();
const result = await fc.check(
  fc.asyncProperty(draft, async ({ method, path, body, headers }) => {
    const response = await api.call(method, path, { body, headers });
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    const answer = await response.text();
    if (response.status >= 500) throw new Error(`${response.status}: ${answer.slice(0, 300)}`);
    if (answer.includes('"internal error"')) throw new Error(`an internal error: ${answer.slice(0, 300)}`);
  }),
  { numRuns: wanted, seed },
);
const seconds = Math.round((performance.now() - started) / 1000);
const failure = result.failed ? { error: String(result.errorInstance), request: result.counterexample } : null;
console.log(JSON.stringify({ seed, requests: result.numRuns, seconds, statuses, failure }, null, 2));
process.exitCode = result.failed ? 1 : 0;
