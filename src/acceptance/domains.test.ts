import { beforeAll, expect, test } from "bun:test";
import { answer } from "../clients/dns/testing/name-server.ts";
import { zipOf } from "./testing/archives.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { serverStories } from "./testing/stories.ts";

const { vitrine, ada } = await serverStories(() => startDomainsServer({ workers: "2" }));

beforeAll(async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>ada</h1>" }), { site: "ada" });
});

test("a name is claimed, proven, connected and removed, and only then its site can be deleted", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>shop</h1>" }), { site: "boutique" });
  const capability = await (await vitrine.call("GET", "/capabilities/custom-domains", { token: ada })).json();
  expect(capability).toEqual({
    status: "ready",
    enabled: true,
    control_ready: true,
    routing_enabled: true,
    routing_targets: [{ type: "A", value: "127.0.0.1" }],
    automatic: { enabled: false, issuer: null, challenge: null },
    proxy: { enabled: true, ranges_version: expect.stringMatching(/^custom-/) },
  });

  const claim = await vitrine.claim(ada, "boutique", "WWW.Shop.example.");
  // A copy, because asymmetric matchers replace the values that they match.
  expect(structuredClone(claim)).toMatchObject({
    hostname: "www.shop.example",
    site_name: "boutique",
    status: "pending",
    connection_status: "waiting_for_dns",
    mode: "direct",
    effective_mode: null,
    target_mode: null,
    observed_mode: null,
    route_status: "not_routed",
    route_generation: 0,
    verification: {
      name: "_vitrine-challenge.www.shop.example",
      type: "TXT",
      value: expect.stringMatching(/^token=[a-z2-7]{32}$/),
    },
    challenge_path: expect.stringMatching(/^\/\.well-known\/vitrine\/[a-z2-7]{32}$/),
    verified_at: null,
    proxy_diagnostics: null,
  });

  const waiting = await vitrine.check(ada, claim);
  expect(waiting).toMatchObject({ status: "pending", connection_status: "waiting_for_dns" });
  expect(waiting.last_error).toContain(claim.verification.name);
  expect(waiting.last_error).toContain(claim.verification.value);
  expect(waiting.last_error).toContain("NXDOMAIN");
  expect(waiting.last_error).toContain(`127.0.0.1:${vitrine.names.port}`);
  expect(waiting.last_error).toContain("If shop.example is to work as well, add it too.");
  expect(waiting.last_error).toMatch(/Next check: \d{4}-/);

  vitrine.prove(claim);
  const proven = await vitrine.check(ada, claim);
  expect(proven).toMatchObject({
    status: "verified",
    route_status: "routed",
    route_generation: 1,
    connection_status: "waiting_for_dns",
    observed_mode: "unavailable",
    activated_at: null,
  });
  expect(proven.last_error).toContain("NXDOMAIN");
  expect(proven.last_error).toContain("set www.shop.example to A 127.0.0.1");

  vitrine.names.zone["A www.shop.example"] = ["127.0.0.1"];
  const connected = await vitrine.check(ada, claim);
  expect(connected).toMatchObject({
    connection_status: "connected",
    mode: "direct",
    effective_mode: "direct",
    observed_mode: "direct",
    last_error: null,
    activation_error: null,
    challenge_seen_at: expect.any(String),
    activated_at: expect.any(String),
    proxy_diagnostics: null,
  });
  expect(await (await vitrine.visitHostname("www.shop.example")).text()).toBe("<h1>shop</h1>");
  expect((await vitrine.visit("boutique")).headers.get("link")).toContain("www.shop.example");
  expect((await vitrine.call("DELETE", "/sites/boutique", { token: ada })).status).toBe(409);

  const path = `/sites/boutique/domains/${claim.id}`;
  expect((await vitrine.call("DELETE", path, { token: ada })).status).toBe(204);
  const removed = await vitrine.eventually(ada, claim, ({ route_status }) => route_status === "removed");
  expect(removed).toMatchObject({
    status: "cancelled",
    withdrawn_at: expect.any(String),
    removal_requested_at: expect.any(String),
    effective_mode: null,
    last_error: null,
  });
  expect((await vitrine.visitHostname("www.shop.example")).status).toBe(404);
  expect((await vitrine.visitHostname("www.shop.example", claim.challenge_path as string)).status).toBe(404);
  expect((await vitrine.call("POST", `${path}/check`, { token: ada })).status).toBe(409);
  expect((await vitrine.call("DELETE", path, { token: ada })).status).toBe(204);
  expect((await vitrine.call("DELETE", "/sites/boutique", { token: ada })).status).toBe(204);
});

test("a custom domain may follow an alias, and search engines do not index it", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "live" }), { site: "next" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "two" }), {
    site: "next",
    headers: { "X-Service-Alias": "beta" },
  });
  const json = { hostname: "beta.shop.example", target: { alias: "none" } };
  const refused = await vitrine.call("POST", "/sites/next/domains", { token: ada, json });
  expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining("next has no alias none")]);

  const claim = await vitrine.connect(ada, "next", "beta.shop.example", { alias: "Beta" });
  expect(claim).toMatchObject({ target: { alias: "beta" } });
  const visit = await vitrine.visitHostname("beta.shop.example");
  expect([await visit.text(), visit.headers.get("x-robots-tag")]).toEqual(["two", "noindex"]);
  expect((await vitrine.visit("next")).headers.get("link")).toBeNull();

  await vitrine.call("PUT", "/sites/next/aliases/beta", { token: ada, json: { deployment_number: 1 } });
  expect(await (await vitrine.visitHostname("beta.shop.example")).text()).toBe("live");
  await vitrine.call("DELETE", "/sites/next/aliases/beta", { token: ada });
  const missing = await vitrine.visitHostname("beta.shop.example");
  expect([missing.status, await missing.text()]).toEqual([
    404,
    expect.stringContaining("next has no deployment here."),
  ]);
});

test("the scheduler completes the same steps by itself", async () => {
  const claim = await vitrine.claim(ada, "ada", "auto.example.org");
  vitrine.prove(claim);
  vitrine.names.zone["A auto.example.org"] = ["127.0.0.1"];
  vitrine.advance(5 * 60_000);
  const connected = await vitrine.eventually(ada, claim, ({ connection_status }) => connection_status === "connected");
  expect(connected.status).toBe("verified");
});

test("truncated TXT responses can prove a claim, but cannot disprove it", async () => {
  const claim = await vitrine.connect(ada, "ada", "long.example");
  const zone = vitrine.names.zone;
  vitrine.names.hostile = (request, over) => {
    const response = answer(request, zone);
    if (response !== null) Object.assign(response.header, over === "udp" ? { tc: 1 } : { id: response.header.id ^ 1 });
    return [response];
  };
  expect(await vitrine.check(ada, claim)).toMatchObject({ last_error: null });
  zone[`TXT ${claim.verification.name}`] = ["another"];
  const cutOff = await vitrine.check(ada, claim);
  vitrine.names.hostile = null;
  expect(cutOff.last_error).toContain("answered a part of the TXT records: too many for UDP, and nothing over TCP");
});
