import { describe, expect, test } from "bun:test";
import { CERTIFICATE } from "../../storage/contract/records.ts";
import { NO_ATTEMPTS } from "./certificate.ts";
import { type Claim, startClaim } from "./claim.ts";
import { certificateArrived, certificateFailing, claimEvents, payloadOf } from "./events.ts";

const NOW = Date.UTC(2026, 0, 1);
const pending: Claim = {
  ...startClaim({
    hostname: "www.example.org",
    siteId: 1,
    ownerId: 1,
    proofToken: "a",
    probeToken: "b",
    probeResponse: "c",
    createdAt: NOW,
  }),
  id: 4,
  revision: 1,
  siteName: "demo",
};
const verified: Claim = { ...pending, status: "verified", verifiedAt: NOW, routeStatus: "publishing" };
const securing: Claim = { ...verified, routeStatus: "routed", observedMode: "direct" };
const connected: Claim = { ...securing, activatedAt: NOW, effectiveMode: "direct" };
const broken: Claim = { ...connected, activationError: "nothing answers" };
const withdrawn: Claim = { ...connected, withdrawnAt: NOW, routeStatus: "removing" };
const removed: Claim = { ...withdrawn, status: "cancelled", routeStatus: "removed", effectiveMode: null };
const lost: Claim = {
  ...connected,
  status: "cancelled",
  routeStatus: "removing",
  lastError: "both records are missing",
};

describe("a claim", () => {
  test.each<[string, Claim, Claim, string[]]>([
    ["that stays pending", pending, { ...pending, lastError: "no TXT record" }, []],
    ["from pending to verified", pending, verified, ["domain.verified"]],
    ["from verified to routed", verified, securing, []],
    ["from routed to connected", securing, connected, ["domain.connected"]],
    ["from pending to connected in one check", pending, connected, ["domain.verified", "domain.connected"]],
    ["that stays connected", connected, { ...connected, lastCheckedAt: NOW }, []],
    ["from connected to action_needed", connected, broken, ["domain.action_needed"]],
    ["that stays action_needed", broken, { ...broken, activationError: "a redirect loop" }, []],
    ["from action_needed to connected", broken, connected, ["domain.connected"]],
    ["that is being withdrawn", connected, withdrawn, []],
    ["that was withdrawn", withdrawn, removed, ["domain.removed"]],
    ["that is being removed because its records are gone", connected, lost, []],
    ["that was removed because its records are gone", lost, { ...lost, routeStatus: "removed" }, ["domain.removed"]],
    ["that expired before its proof", pending, { ...pending, status: "expired" }, ["domain.removed"]],
    ["that has ended already", removed, { ...removed, siteName: null }, []],
  ])("%s", (_where, before, after, types) => {
    expect(claimEvents(before, after).map(({ type }) => type as string)).toEqual(types);
  });

  test("that needs action has the reason", () => {
    const [event] = claimEvents(connected, broken);
    expect(event?.data).toEqual({
      site_name: "demo",
      hostname: "www.example.org",
      claim_id: 4,
      status: "verified",
      connection_status: "action_needed",
      mode: "direct",
      error: "nothing answers",
    });
  });
});

const certificate = { ...CERTIFICATE, notBefore: NOW, notAfter: NOW + 1000 };
const managed = { subject: "www.example.org", current: null, attempts: NO_ATTEMPTS };

describe("a certificate", () => {
  test("is issued the first time and renewed from then on, and its key is not sent", () => {
    const issued = certificateArrived("demo", managed, certificate);
    expect(issued).toEqual({
      type: "certificate.issued",
      data: {
        site_name: "demo",
        hostname: "www.example.org",
        issuer: "ca.example",
        not_after: "2026-01-01T00:00:01.000Z",
      },
    });
    const own = { ...certificate, authority: "internal" };
    const renewed = certificateArrived("demo", { ...managed, current: certificate }, own);
    expect(renewed).toMatchObject({ type: "certificate.renewed", data: { issuer: "internal" } });
  });

  test.each([
    [0, 1, false],
    [1, 2, false],
    [2, 3, true],
    [3, 4, false],
    [3, 0, false],
  ])("after %p failures and then %p is failing: %p", (before, after, failing) => {
    const attempts = (failures: number) => ({ ...NO_ATTEMPTS, failures, error: "refused" });
    const event = certificateFailing("demo", { ...managed, attempts: attempts(before) }, attempts(after));
    expect(event?.type === "certificate.failing").toBe(failing);
    if (failing) expect(event?.data).toMatchObject({ error: "refused", not_after: null });
  });
});

describe("a body", () => {
  const addresses = {
    site: (name: string) => `https://${name}.example`,
    deployment: (name: string, number: number) => `https://${number}--${name}.example`,
    alias: (name: string, alias: string) => `https://${alias}--${name}.example`,
  };

  test("has type, time and data, and the URLs of a deployment", () => {
    const data = { site_name: "demo", deployment_number: 3 };
    const event = { id: "msg_1", type: "deployment.published", at: NOW, data } as const;
    expect(JSON.parse(payloadOf(event, addresses))).toEqual({
      type: "deployment.published",
      timestamp: "2026-01-01T00:00:00.000Z",
      data: { ...data, url: "https://3--demo.example", site_url: "https://demo.example" },
    });
  });

  test("has no address without a deployment", () => {
    const event = { id: "msg_1", type: "site.deleted", at: NOW, data: { site_name: "demo" } } as const;
    expect(JSON.parse(payloadOf(event, addresses))).toMatchObject({ data: { site_name: "demo" } });
    expect(payloadOf(event, addresses)).not.toContain("url");
  });
});
