import type { DomainClaimResponse } from "../../api/schemas/domains.ts";
import { type NameServer, startNameServer } from "../../clients/dns/testing/name-server.ts";
import { leaseHolder } from "../../domain/claims/check-lease.ts";
import { SECOND } from "../../domain/timestamp.ts";
import { freePort } from "../../testing/free-port.ts";
import { ONLY_NODE } from "../../workers/shared.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

export type ClaimResponse = typeof DomainClaimResponse.static;

/** A server with custom domains over plain HTTP, and its name server. */
export interface DomainsServer extends TestServer {
  readonly names: NameServer;
  readonly port: number;
  /** Claims a hostname. Throws on failure. */
  claim(token: string, site: string, hostname: string, target?: { alias: string }): Promise<ClaimResponse>;
  /** Adds the TXT record of a claim, and keeps the existing ones. */
  prove(claim: ClaimResponse): void;
  /** Checks a claim anew: neither an earlier result nor that of a running check of the scheduler is shared. */
  check(token: string, claim: ClaimResponse): Promise<ClaimResponse>;
  /** Returns the current claim. */
  read(token: string, claim: ClaimResponse): Promise<ClaimResponse>;
  /** Waits until the scheduler has brought the claim to a state. */
  eventually(token: string, claim: ClaimResponse, done: (claim: ClaimResponse) => boolean): Promise<ClaimResponse>;
  /** Claims, proves and connects a hostname directly. */
  connect(token: string, site: string, hostname: string, target?: { alias: string }): Promise<ClaimResponse>;
  /** Visits a hostname at the first address that DNS returns. */
  visitHostname(hostname: string, path?: string, init?: RequestInit): Promise<Response>;
}

export async function startDomainsServer(flags: Record<string, string> = {}): Promise<DomainsServer> {
  const names = await startNameServer();
  // Probes need the port before the server listens on it.
  const port = freePort();
  const vitrine = await startTestServer({
    listen: `127.0.0.1:${port}`,
    "dns-resolvers": `${names.address}:${names.port}`,
    "routing-targets": "A:127.0.0.1",
    "proxy-ranges": "127.0.0.2/32",
    "probe-ports": `${port},${port}`,
    "allow-private-probes": "on",
    ...flags,
  });
  const path = (claim: ClaimResponse) => `/sites/${claim.site_name}/domains/${claim.id}`;

  const self: DomainsServer = {
    ...vitrine,
    names,
    port,
    async claim(token, site, hostname, target) {
      const response = await vitrine.call("POST", `/sites/${site}/domains`, { token, json: { hostname, target } });
      if (response.status !== 201)
        throw new Error(`${hostname} was not claimed: ${response.status} ${await response.text()}`);
      return (await response.json()) as ClaimResponse;
    },
    prove({ verification: { name, value } }) {
      const there = names.zone[`TXT ${name}`];
      names.zone[`TXT ${name}`] = [...(Array.isArray(there) ? there : []), value];
    },
    async check(token, claim) {
      for (let again = 0; ; again++) {
        await endOfCheck(vitrine, claim.id);
        vitrine.advance(1001);
        const response = await vitrine.call("POST", `${path(claim)}/check`, { token });
        const text = await response.text();
        if (again < MAX_CHECKS && (response.status === 503 || LATE.test(text))) continue;
        if (response.status !== 200) throw new Error(`not checked: ${response.status} ${text}`);
        return JSON.parse(text) as ClaimResponse;
      }
    },
    async read(token, claim) {
      const response = await vitrine.call("GET", `/sites/${claim.site_name}/domains`, { token });
      const claims = (await response.json()) as ClaimResponse[];
      return claims.find(({ id }) => id === claim.id) as ClaimResponse;
    },
    async eventually(token, claim, done) {
      for (let look = 0; look < MAX_ATTEMPTS; look++) {
        const now = await self.read(token, claim);
        if (done(now)) return now;
        await Bun.sleep(25);
      }
      throw new Error(`it never happened: ${JSON.stringify(await self.read(token, claim), null, 1)}`);
    },
    async connect(token, site, hostname, target) {
      const claim = await self.claim(token, site, hostname, target);
      self.prove(claim);
      names.zone[`A ${hostname}`] = ["127.0.0.1"];
      let connected = await self.check(token, claim);
      for (let again = 0; again < MAX_CHECKS && connected.connection_status !== "connected"; again++) {
        connected = await self.check(token, claim);
      }
      if (connected.connection_status !== "connected") throw new Error(JSON.stringify(connected, null, 1));
      return connected;
    },
    visitHostname(hostname, path = "/", init = {}) {
      const [address = "127.0.0.1"] = names.zone[`A ${hostname}`] ?? [];
      const headers = { ...init.headers, Host: hostname };
      return fetch(`http://${address}:${port}${path}`, { redirect: "manual", ...init, headers });
    },
    async [Symbol.asyncDispose]() {
      await vitrine[Symbol.asyncDispose]();
      await names.stop();
    },
  };
  return self;
}

/** Resolves when no check of the claim runs. It may have read DNS records before the test changed them. */
async function endOfCheck({ store, clock }: TestServer, id: number): Promise<void> {
  const holder = leaseHolder(ONLY_NODE, "test");
  const take = () => {
    const now = clock.now();
    return store.claims.takeCheck(id, { holder, now, until: now + 30 * SECOND, shareFor: 0 });
  };
  while ((await take()).outcome === "running") await Bun.sleep(10);
  await store.claims.releaseCheck(id, { holder, now: clock.now(), silent: false });
}

/** How often a check is repeated. Look-ups and probes have time limits, which a busy machine may exceed. */
const MAX_CHECKS = 4;

/** What a claim says when such a limit was exceeded. */
const LATE = /no reply within|nothing within|ran out of time|was not probed/;

/** The number of attempts of `eventually`. The scheduler takes a second at most. */
const MAX_ATTEMPTS = 800;
