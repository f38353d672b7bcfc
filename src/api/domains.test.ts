import { expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import type { ClaimResponse } from "../acceptance/testing/domains.ts";
import { NO_ATTEMPTS } from "../domain/model/certificate.ts";
import { DAY, timestamp } from "../domain/timestamp.ts";
import { addClaim } from "../storage/contract/add-claim.ts";
import { openTestApi } from "./testing/test-api.ts";

async function open(flags: Record<string, string>) {
  const api = await openTestApi({ "routing-targets": "A:127.0.0.1", "dns-resolvers": "127.0.0.1:1", ...flags });
  const { token } = await api.signUp("ada");
  await api.deploy(token, await zipOf({ "index.html": "x" }), { site: "demo" });
  const capability = async () => (await api.call("GET", "/capabilities/custom-domains", { token })).json();
  const claim = () => api.call("POST", "/sites/demo/domains", { token, json: { hostname: "www.example.org" } });
  return { api, token, capability, claim, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test("without a working resolver, claims can be made, checks are 503, and nothing is lost", async () => {
  await using part = await open({});
  expect(await part.capability()).toMatchObject({ status: "ready" });
  const claim = (await (await part.claim()).json()) as ClaimResponse;
  const path = `/sites/demo/domains/${claim.id}`;
  part.api.advance(1001);
  const checked = await part.api.call("POST", `${path}/check`, { token: part.token });
  expect(checked.status).toBe(503);
  expect(checked.headers.get("retry-after")).toMatch(/^\d+$/);
  const [kept] = (await (
    await part.api.call("GET", "/sites/demo/domains", { token: part.token })
  ).json()) as ClaimResponse[];
  expect(kept).toMatchObject({ status: "pending", verification: claim.verification, expires_at: claim.expires_at });
  expect(kept?.last_error).toContain("no resolver answered (127.0.0.1:1: UDP: connection refused)");
});

test("if custom domains are disabled, the API says so and accepts no claims", async () => {
  await using part = await open({ domains: "off" });
  expect(await part.capability()).toMatchObject({ status: "disabled", enabled: false, routing_enabled: true });
  const refused = await part.claim();
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
    409,
    null,
    { detail: "custom domains are disabled on this server: its operator can enable them with --domains on" },
  ]);
  expect((await part.api.call("GET", "/sites/demo/domains", { token: part.token })).status).toBe(200);
});

test("the number of pending claims of a site is limited, and a removed one frees its slot", async () => {
  await using part = await open({ "claim-burst-rate": "off", "max-pending-claims": "10" });
  const { api, token } = part;
  const create = (n: number) =>
    api.call("POST", "/sites/demo/domains", { token, json: { hostname: `n${n}.example.org` } });
  const claims = await Promise.all(Array.from({ length: 10 }, (_, n) => create(n)));
  expect(claims.map(({ status }) => status)).toEqual(Array(10).fill(201));
  const refused = await create(10);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { detail: "too many claims: demo has 10 that are not verified yet: verify or remove one" },
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(6 * 86_400, 7 * 86_400 + 1);
  const { id } = (await (claims[0] as Response).json()) as ClaimResponse;
  await api.call("DELETE", `/sites/demo/domains/${id}`, { token });
  expect((await create(10)).status).toBe(201);
});

test("without routing targets, custom domains are not ready", async () => {
  await using part = await open({ domains: "on", "routing-targets": "" });
  expect(await part.capability()).toMatchObject({
    status: "not_ready",
    enabled: false,
    control_ready: true,
    routing_enabled: false,
    routing_targets: [],
  });
  const refused = await part.claim();
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { detail: expect.stringContaining("--routing-targets") },
  ]);
});

test("a verified claim has the issuer and the expiry of its certificate, another claim none", async () => {
  await using part = await open({ tls: "acme", "base-url": "https://vitrine.test" });
  const { api, token } = part;
  const listed = async () => {
    const [claim] = (await (await api.call("GET", "/sites/demo/domains", { token })).json()) as ClaimResponse[];
    return claim;
  };
  const { certificates, claims, sites } = api.store;
  await certificates.want({ identifiers: ["www.example.org"], challenge: "http-01", origin: "claim" });
  const now = api.clock.now();
  const { id: siteId, ownerId } = (await sites.find("demo"))!;
  const pending = await addClaim(api.store, { hostname: "www.example.org", siteId, ownerId, createdAt: now });
  const certificate = {
    names: ["www.example.org"],
    chain: "",
    key: "",
    notBefore: now,
    notAfter: now + 90 * DAY,
    authority: "https://acme.example/directory",
    renewalId: null,
  };
  await certificates.install("www.example.org", certificate, { orderedAt: now, at: now }, NO_ATTEMPTS);
  expect(await listed()).toMatchObject({ status: "pending", certificate: null });
  await claims.save([{ ...pending, status: "verified" }], now);
  expect(await listed()).toMatchObject({
    certificate: { issuer: "https://acme.example/directory", not_after: timestamp(now + 90 * DAY) },
  });
});

test("the owner of a frozen site may remove its domains, verified or pending, but not change them", async () => {
  await using part = await open({});
  const { api, token } = part;
  const { claims, sites } = api.store;
  const { id: siteId } = (await sites.find("demo"))!;
  const json = { hostname: "shop.example.org" };
  const verified = (await (await api.call("POST", "/sites/demo/domains", { token, json })).json()) as ClaimResponse;
  const claim = (await claims.find(verified.id))!;
  await claims.save([{ ...claim, status: "verified", routeStatus: "routed" }], api.clock.now());
  const pending = (await (await part.claim()).json()) as ClaimResponse;
  await sites.setFrozen(siteId, { at: 0, reason: "unpaid" });
  for (const { id } of [verified, pending]) {
    const path = `/sites/demo/domains/${id}`;
    expect((await api.call("POST", `${path}/transition/retry`, { token })).status).toBe(403);
    expect((await api.call("DELETE", path, { token })).status).toBe(204);
  }
  expect((await part.claim()).status).toBe(403);
  expect(await (await api.call("GET", "/sites/demo/domains", { token })).json()).toMatchObject([
    { status: "cancelled" },
    { route_status: "removing", removal_requested_at: expect.stringMatching(/Z$/) },
  ]);
});
