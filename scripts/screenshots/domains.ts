import type { TestServer } from "../../src/acceptance/testing/test-server.ts";
import type { Claim } from "../../src/domain/model/claim.ts";
import { DAY, HOUR } from "../../src/domain/timestamp.ts";

/** Adds one domain that is connected, and one that waits for its proof. */
export async function claimDomains({ store, clock }: TestServer, siteName: string): Promise<void> {
  const site = await store.sites.find(siteName);
  if (!site) throw new Error(`there is no site ${siteName}`);
  const now = clock.now();
  const create = async (hostname: string, createdAt: number, seed: string): Promise<Claim> => {
    const proofToken = seed.repeat(8);
    const secrets = { proofToken, probeToken: `probe-${hostname}`, probeResponse: `answer-${hostname}` };
    const created = await store.claims.create(
      { hostname, siteId: site.id, ownerId: site.ownerId, createdAt, ...secrets },
      { rates: [], mostPending: null },
    );
    if (created.outcome !== "created") throw new Error(`${hostname}: ${created.outcome}`);
    return created.claim;
  };
  const connected = await create("docs.atlas.example", now - 30 * DAY, "k7qa");
  await store.claims.save(
    [
      {
        ...connected,
        status: "verified",
        verifiedAt: now - 30 * DAY + HOUR,
        challengeSeenAt: now - 30 * DAY + HOUR,
        activatedAt: now - 30 * DAY + 2 * HOUR,
        activationCheckedAt: now - 2 * HOUR,
        lastCheckedAt: now - 2 * HOUR,
        observedMode: "direct",
        effectiveMode: "direct",
        routeStatus: "routed",
        routeGeneration: 1,
        nextCheckAt: now + 20 * HOUR,
      },
    ],
    now,
  );
  const waiting = await create("www.atlas.example", now - 0.1 * HOUR, "m2xd");
  const lastError = `the TXT record _vitrine-challenge.${waiting.hostname} with the value token=${waiting.proofToken} is not there: the resolver 9.9.9.9 said NXDOMAIN. Set it at your DNS provider.`;
  await store.claims.save([{ ...waiting, lastCheckedAt: now - 20_000, lastError, nextCheckAt: now + HOUR }], now);
}
