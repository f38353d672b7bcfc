import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledPublicSuffixes } from "../../adapters/dns/public-suffixes.ts";
import { systemSecrets } from "../../adapters/secrets.ts";
import { addPerson, addSite } from "../../adapters/store/contract/people.ts";
import { migrate } from "../../adapters/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../adapters/store/sqlite/store.ts";
import { systemTimers } from "../../adapters/timers.ts";
import { noCertificates } from "../certificates/manage.ts";
import type { DnsAnswer } from "../ports/dns.ts";
import type { Store } from "../ports/store.ts";
import { type Claim, txtValue } from "./claim.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { ADDRESS, T0 } from "./testing/observations.ts";
import { walk } from "./walk.ts";

const RESOLVER = "192.0.2.53:53";
const clock = { now: () => T0 };
const SILENT: DnsAnswer = { kind: "silent", resolver: RESOLVER, reason: "the check ran out of time" };

let folder: string;
let store: Store;
let id: number;
let limit: AbortController;
/** What the resolver says to a look, the first one being 1. */
let says: (look: number, type: string) => DnsAnswer;
let looks: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-walk-"));
  await migrate(join(folder, "vitrine.db"));
  store = openSqliteStore(join(folder, "vitrine.db"));
  limit = new AbortController();
  looks = 0;
  const { id: ownerId } = await addPerson(store, "ada");
  const { id: siteId } = await addSite(store, "demo", ownerId, false);
  const tokens = { proofToken: "proof", probeToken: "probe", probeAnswer: "answer" };
  const creation = await store.claims.create(
    { hostname: "www.example.org", siteId, ownerId, ...tokens, createdAt: T0 },
    [],
  );
  id = creation.outcome === "created" ? creation.claim.id : 0;
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function ports(): ClaimPorts {
  return {
    store,
    dns: {
      async lookup(_name, type) {
        if (type === "TXT") looks++;
        return says(looks, type);
      },
    },
    edge: { version: "2023-09-28", covers: () => false },
    prober: { probe: async ({ address }) => ({ kind: "timeout", address, reason: "the check ran out of time" }) },
    certificates: noCertificates({ store, clock }),
    suffixes: bundledPublicSuffixes(),
    secrets: systemSecrets,
    clock,
    timers: systemTimers,
    random: () => 0.5,
    domains: {
      on: true,
      targets: [{ type: "A", value: ADDRESS.ours }],
      tls: "off",
      own: { baseHost: "pages.example.net", sitesDomain: "pages.example.net" },
      mostPending: null,
    },
    rates: { claim: null, claimBurst: null },
  };
}

const walked = () => walk(ports(), id, { signal: limit.signal, clockTrusted: true });
const records = (...values: string[]): DnsAnswer => ({
  kind: "records",
  resolver: RESOLVER,
  values,
  aliases: [],
  partial: false,
});

test("what a later look did not see in time takes nothing from what the first one saw", async () => {
  says = (look) => {
    if (look === 1) return records(txtValue("proof"));
    limit.abort();
    return SILENT;
  };
  const { claim, silent } = await walked();
  expect(silent).toBe(false);
  expect(claim).toMatchObject({ status: "verified", routeStatus: "routed", observedMode: null, lastError: null });
});

test("a connected name whose probe had no time left stays connected, and is looked at again", async () => {
  const claim = (await store.claims.find(id)) as Claim;
  const connected = { status: "verified", routeStatus: "routed", effectiveMode: "direct", activatedAt: T0 } as const;
  await store.claims.save([{ ...claim, ...connected, ladder: "resting" }], T0);
  says = (_look, type) => {
    limit.abort();
    return type === "TXT" ? records(txtValue("proof")) : records(ADDRESS.ours);
  };
  const { claim: after, silent } = await walked();
  expect(silent).toBe(false);
  expect(after).toMatchObject({ observedMode: "unavailable", activationError: null, astraySince: null });
  expect(after?.lastError).toContain(`the resolver ${RESOLVER} answered too late`);
  expect(after?.nextCheckAt).toBeGreaterThan(T0);
});

test("a resolver that never answers is silent", async () => {
  says = () => {
    limit.abort();
    return SILENT;
  };
  const { claim, silent } = await walked();
  expect(silent).toBe(true);
  expect(claim?.lastError).toContain("no resolver answered");
});
