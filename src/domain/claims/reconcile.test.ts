import { beforeEach, describe, expect, test } from "bun:test";
import { bundledPublicSuffixes } from "../../clients/dns/public-suffixes.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { systemTimers } from "../../clients/system/timers.ts";
import { addClaim } from "../../storage/contract/add-claim.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { noCertificates } from "../certificates/manage.ts";
import { type Claim, connectionStatus } from "../model/claim.ts";
import type { DnsResponse } from "../ports/dns.ts";
import type { ProbeResult } from "../ports/edge.ts";
import type { Store } from "../ports/store.ts";
import { txtValue } from "./challenge.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { reconcileClaim } from "./reconcile.ts";
import { ADDRESS, T0 } from "./testing/observations.ts";

const RESOLVER = "192.0.2.53:53";
const clock = { now: () => T0 };
const OTHER = "203.0.113.8";
const SILENT: DnsResponse = { kind: "silent", resolver: RESOLVER, reason: "the check ran out of time" };

let store: Store;
let id: number;
let limit: AbortController;
/** The resolver's response for the n-th check, counted from 1. */
let says: (look: number, type: string) => DnsResponse;
let looks: number;
/** The result of every probe. */
let probed: (address: string) => ProbeResult;

beforeEach(async () => {
  store = temporaryStore();
  limit = new AbortController();
  looks = 0;
  probed = (address) => ({ kind: "timeout", address, reason: "the check ran out of time" });
  const { id: ownerId } = await addPerson(store, "ada");
  const { id: siteId } = await addSite(store, "demo", ownerId, false);
  const claim = { hostname: "www.example.org", siteId, ownerId, proofToken: "proof", createdAt: T0 };
  id = (await addClaim(store, claim)).id;
});

function ports(): ClaimPorts {
  return {
    node: "node",
    store,
    dns: {
      async lookup(_name, type) {
        if (type === "TXT") looks++;
        return says(looks, type);
      },
    },
    edge: { version: "2023-09-28", covers: () => false },
    prober: { probe: async ({ address }) => probed(address) },
    certificates: noCertificates({ store, clock }),
    suffixes: bundledPublicSuffixes(),
    secrets: systemSecrets,
    clock,
    timers: systemTimers,
    random: () => 0.5,
    domains: {
      on: true,
      targets: [
        { type: "A", value: ADDRESS.ours },
        { type: "A", value: OTHER },
      ],
      tls: "off",
      own: { baseHost: "pages.example.net", sitesDomain: "pages.example.net" },
      mostPending: null,
    },
    rates: { claim: null, claimBurst: null },
  };
}

const reconciled = () => reconcileClaim(ports(), id, { signal: limit.signal, clockTrusted: true });
const records = (...values: string[]): DnsResponse => ({
  kind: "records",
  resolver: RESOLVER,
  values,
  aliases: [],
  partial: false,
});

test("a later observation that runs out of time does not undo the first one", async () => {
  says = (look) => {
    if (look === 1) return records(txtValue("proof"));
    limit.abort();
    return SILENT;
  };
  const { claim, silent } = await reconciled();
  expect(silent).toBe(false);
  expect(claim).toMatchObject({ status: "verified", routeStatus: "routed", observedMode: null, lastError: null });
});

describe("a connected name whose check runs out of time", () => {
  const nameAt = (...addresses: string[]) => {
    return (_look: number, type: string) => (type === "TXT" ? records(txtValue("proof")) : records(...addresses));
  };

  beforeEach(async () => {
    const claim = (await store.claims.find(id)) as Claim;
    const connected = { status: "verified", routeStatus: "routed", effectiveMode: "direct", activatedAt: T0 } as const;
    await store.claims.save([{ ...claim, ...connected, backoff: "resting" }], T0);
  });

  test("before its first probe has ended stays connected, reports it, and is checked again", async () => {
    says = nameAt(ADDRESS.ours);
    probed = (address) => {
      limit.abort();
      return { kind: "timeout", address, reason: "the check ran out of time" };
    };
    const { claim, silent } = await reconciled();
    expect(silent).toBe(false);
    expect(claim).toMatchObject({ observedMode: "direct", activationError: null, misroutedSince: null });
    expect(connectionStatus(claim as Claim)).toBe("connected");
    expect(claim?.lastError).toStartWith("www.example.org was not probed: ");
    expect(claim?.nextCheckAt).toBeGreaterThan(T0);
  });

  test("is decided by the probes that have ended", async () => {
    says = nameAt(ADDRESS.ours, OTHER);
    probed = (address) => {
      if (address === OTHER) limit.abort();
      return {
        kind: "timeout",
        address,
        reason: address === OTHER ? "the check ran out of time" : "nothing within 5 s",
      };
    };
    const { claim } = await reconciled();
    expect(claim).toMatchObject({ observedMode: "direct", lastError: null });
    expect(claim?.activationError).toContain(`${ADDRESS.ours} did not respond in time (nothing within 5 s)`);
  });

  test("is known to resolve elsewhere if DNS says so", async () => {
    says = (look, type) => {
      limit.abort();
      return type === "A" ? records(ADDRESS.elsewhere) : nameAt()(look, type);
    };
    const { claim } = await reconciled();
    expect(claim).toMatchObject({ observedMode: "unsupported", misroutedSince: T0 });
  });
});

test("a check without any DNS response is recorded as such", async () => {
  says = () => {
    limit.abort();
    return SILENT;
  };
  const { claim, silent } = await reconciled();
  expect(silent).toBe(true);
  expect(claim?.lastError).toContain("no resolver answered");
});
