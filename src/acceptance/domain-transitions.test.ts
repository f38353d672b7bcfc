import { expect } from "bun:test";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { type ClaimResponse, type DomainsServer, startDomainsServer } from "./testing/domains.ts";
import { type Edge, startEdge } from "./testing/edge.ts";
import { waitUntil } from "./testing/wait-until.ts";

const { afterAll, afterEach, beforeAll, beforeEach, test } = needing("loopback");

let vitrine: DomainsServer;
let edge: Edge;
let ada: string;
let hostname: string;
let claim: ClaimResponse;
let names = 0;

beforeAll(async () => {
  vitrine = await startDomainsServer();
  edge = startEdge(vitrine.port);
});
afterAll(async () => {
  await edge?.stop();
  await vitrine?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  // Each test has its own user, because claims are limited by user.
  ada = (await vitrine.signUp(`ada${++names}`)).token;
  const site = `site${names}`;
  hostname = `www${names}.example.org`;
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>hello</h1>" }), { site });
  claim = await vitrine.connect(ada, site, hostname);
});
afterEach(() => {
  edge.respond = null;
});

const point = (...addresses: string[]) => {
  vitrine.names.zone[`A ${hostname}`] = addresses;
};
const check = () => vitrine.check(ada, claim);
const transition = (verb: "cancel" | "retry") =>
  vitrine.call("POST", `/sites/${claim.site_name}/domains/${claim.id}/transition/${verb}`, { token: ada });

/** Visits the name at its DNS address repeatedly until stopped. Resolves with the responses that were not the page. */
function keepVisiting(): () => Promise<string[]> {
  let stopped = false;
  let visits = 0;
  const failures: string[] = [];
  const visiting = (async () => {
    while (!stopped) {
      const response = await vitrine.visitHostname(hostname).catch((error) => error as Error);
      const page = response instanceof Error ? response.message : `${response.status} ${await response.text()}`;
      if (page !== "200 <h1>hello</h1>") failures.push(page);
      visits++;
    }
  })();
  return async () => {
    stopped = true;
    await visiting;
    expect(visits).toBeGreaterThan(0);
    return failures;
  };
}

test("a name moves to the edge and back without an error for visitors", async () => {
  const stop = keepVisiting();
  point("127.0.0.2");
  const behindEdge = await check();
  expect(behindEdge).toMatchObject({
    connection_status: "connected",
    mode: "proxy",
    effective_mode: "proxy",
    target_mode: null,
    observed_mode: "proxy",
    transition_started_at: null,
    proxy_diagnostics: {
      consecutive_failures: 0,
      generation: 1,
      ranges_version: expect.stringMatching(/^custom-/),
      dns: { status: "ok", error: null },
      edge_tls: { status: "skipped", error: null },
      edge_http: {
        status: "skipped",
        address: "127.0.0.2",
        edge_ray: "8f00ba4-FRA",
        edge_cache_status: "DYNAMIC",
        redirect_location: null,
        status_code: 200,
      },
      http_forwarding: { status: "ok", error: null, status_code: 200 },
      origin: { status: "ok", error: null },
      ownership: { status: "ok", error: null },
    },
  });
  expect(edge.forwarded).toBeGreaterThan(0);

  point("127.0.0.1");
  expect(await check()).toMatchObject({
    connection_status: "connected",
    mode: "direct",
    effective_mode: "direct",
    target_mode: null,
    proxy_diagnostics: null,
  });
  expect(await stop()).toEqual([]);
});

test("a transition whose edge does not respond misses its deadline, is retried and cancelled", async () => {
  edge.respond = () => new Response("origin is down", { status: 521 });
  point("127.0.0.2");
  const started = await check();
  expect(started).toMatchObject({
    connection_status: "updating",
    mode: "proxy",
    effective_mode: "direct",
    target_mode: "proxy",
    transition_error: null,
    proxy_diagnostics: {
      origin: { status: "error", error: expect.stringContaining("521") },
      ownership: { status: "pending" },
      consecutive_failures: 1,
    },
  });
  const hour = Date.parse(started.transition_deadline_at!) - Date.parse(started.transition_started_at!);
  expect(hour).toBe(3_600_000);
  expect((await check()).proxy_diagnostics?.consecutive_failures).toBe(2);

  vitrine.advance(3_600_000);
  const missed = await check();
  expect(missed).toMatchObject({ connection_status: "action_needed", effective_mode: "direct", target_mode: "proxy" });
  expect(missed.transition_error).toContain("521");

  const retried = (await (await transition("retry")).json()) as ClaimResponse;
  expect(retried).toMatchObject({ connection_status: "updating", target_mode: "proxy", transition_error: null });
  expect(Date.parse(retried.transition_deadline_at!)).toBeGreaterThan(Date.parse(missed.transition_deadline_at!));

  const cancelled = (await (await transition("cancel")).json()) as ClaimResponse;
  expect(cancelled).toMatchObject({
    connection_status: "connected",
    mode: "direct",
    effective_mode: "direct",
    target_mode: null,
    transition_started_at: null,
    transition_deadline_at: null,
    transition_error: null,
  });
  expect((await transition("cancel")).status).toBe(409);
  expect((await check()).target_mode).toBeNull();

  edge.respond = null;
  expect((await check()).target_mode).toBeNull();
  expect((await transition("retry")).status).toBe(200);
  expect(await check()).toMatchObject({ connection_status: "connected", effective_mode: "proxy", target_mode: null });
  expect((await transition("retry")).status).toBe(409);
});

test("a redirect and an error from the edge's cache are reported", async () => {
  point("127.0.0.2");
  edge.respond = () =>
    new Response("gone", { status: 404, headers: { "CF-Cache-Status": "HIT", "CF-Ray": "8f00ba4-FRA" } });
  expect((await check()).activation_error).toContain("came from the edge's cache (HIT) with status 404: purge");
  edge.respond = () => new Response(null, { status: 301, headers: { Location: `https://${hostname}/elsewhere` } });
  const redirected = await check();
  expect(redirected.activation_error).not.toContain("is a redirect loop");
  expect(redirected.activation_error).toContain(`redirects (301) to https://${hostname}/elsewhere`);
  expect(redirected.proxy_diagnostics?.edge_http.redirect_location).toBe(`https://${hostname}/elsewhere`);
  expect(redirected.proxy_diagnostics?.http_forwarding).toMatchObject({ status: "error", status_code: 301 });
});

test("a mix of both modes changes nothing while both respond, and is reported", async () => {
  point("127.0.0.1", "127.0.0.2");
  edge.respond = () => new Response("gone", { status: 404 });
  const broken = await check();
  expect(broken).toMatchObject({ connection_status: "action_needed", observed_mode: "mixed" });
  expect(broken.activation_error).toContain("something else answers at 127.0.0.2");
  edge.respond = null;
  const mixed = await check();
  expect(mixed).toMatchObject({
    connection_status: "connected",
    observed_mode: "mixed",
    effective_mode: "direct",
    target_mode: null,
    activation_error: null,
    proxy_diagnostics: { dns: { status: "warning" } },
  });
  expect(mixed.last_error).toContain("points both to this server (127.0.0.1) and to the edge (127.0.0.2)");
});

test("a failing resolver or a missing name takes nothing out of service", async () => {
  vitrine.names.zone[`ANY ${hostname}`] = "SERVFAIL";
  vitrine.names.zone[`A ${hostname}`] = undefined;
  const failing = await check();
  expect(failing).toMatchObject({ connection_status: "connected", observed_mode: "unavailable" });
  expect(failing.last_error).toContain("SERVFAIL");

  vitrine.names.zone[`ANY ${hostname}`] = "NXDOMAIN";
  const gone = await check();
  expect(gone).toMatchObject({ connection_status: "action_needed", route_status: "routed", status: "verified" });
  expect(gone.last_error).toContain("NXDOMAIN");

  vitrine.names.zone[`TXT _vitrine-challenge.${hostname}`] = undefined;
  expect(await check()).toMatchObject({ status: "verified", route_status: "routed" });
  vitrine.advance(7 * 86_400_000);
  // The scheduler cancels nothing while its clock has just jumped, and its check may come first.
  const cancelled = await waitUntil(check, ({ status }) => status === "cancelled");
  expect(cancelled.connection_status).toBe("action_needed");
  await vitrine.eventually(ada, claim, ({ route_status }) => route_status === "removed");
});
