import type { ChallengeType } from "../model/certificate.ts";
import type { ChallengeProbe } from "../ports/certificate-authority.ts";
import { type Dns, type DnsResponse, isUnknown } from "../ports/dns.ts";
import type { Prober } from "../ports/edge.ts";
import type { PublishedChallenge } from "../ports/store/acme.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { type Timers, withDeadline } from "../ports/timers.ts";
import { MINUTE, SECOND } from "../timestamp.ts";
import { challengeRecordName } from "./wanted.ts";

interface Ports {
  readonly store: Pick<Store, "acme">;
  readonly dns: Dns;
  readonly prober: Prober;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Enough for a lookup and a request of five seconds. A healthy name does not take longer. */
const TIME_LIMIT = 15 * SECOND;

const LIFETIME = MINUTE;

/** Probed addresses of each family. DNS may list hundreds, and a claim must not make the server probe them all. */
const MAX_PER_FAMILY = 2;

/**
 * Probes names like a CA: publishes a challenge and requests it through public DNS. A name that resolves elsewhere, or
 * a missing delegation, then does not count against the CA's limits.
 */
export function challengeProbe(ports: Ports): ChallengeProbe {
  return {
    async probe(identifier, type) {
      const challenge = ownChallenge(ports, identifier, type);
      await ports.store.acme.publishChallenge(challenge);
      try {
        return await withDeadline(ports.timers, TIME_LIMIT, undefined, (signal) =>
          type === "dns-01" ? lookAtRecord(ports, challenge, signal) : lookAtHost(ports, identifier, challenge, signal),
        );
      } finally {
        await ports.store.acme.withdrawChallenge(challenge);
      }
    },
  };
}

// --- internal ---

function ownChallenge({ secrets, clock }: Ports, identifier: string, type: ChallengeType): PublishedChallenge {
  const random = secrets.random(16).toHex();
  const name = type === "dns-01" ? challengeRecordName(identifier) : `vitrine-${random}`;
  return { type, name, value: `own-look-${random}`, expiresAt: clock.now() + LIFETIME };
}

async function lookAtRecord({ dns }: Ports, { name, value }: PublishedChallenge, signal: AbortSignal) {
  const response = await dns.lookup(name, "TXT", signal);
  if (response.kind === "records" && response.values.includes(value)) return null;
  const found =
    response.kind === "records" ? "other records" : response.kind === "failed" ? response.reason : response.kind;
  return `the TXT record ${name} does not point to this server: resolver ${response.resolver} answers ${found}; delegate it with an NS record to the base host, and let port 53 reach --dns-listen`;
}

async function lookAtHost(
  { dns, prober }: Ports,
  hostname: string,
  { name, value }: PublishedChallenge,
  signal: AbortSignal,
) {
  const responses = await Promise.all([dns.lookup(hostname, "A", signal), dns.lookup(hostname, "AAAA", signal)]);
  const addresses = responses.flatMap((response) =>
    response.kind === "records" ? response.values.slice(0, MAX_PER_FAMILY) : [],
  );
  if (addresses.length === 0) return noAddress(hostname, responses);
  const path = `/.well-known/acme-challenge/${name}`;
  const looks = await Promise.all(
    addresses.map((address) => prober.probe({ address, scheme: "http", hostname, path }, signal)),
  );
  // A CA uses any address, so one that belongs to another server, such as an old AAAA record, fails the validation.
  const elsewhere = looks.find((look) => look.kind === "answered" && look.body.trim() !== value);
  if (elsewhere) return `http://${hostname} leads elsewhere: something else answers at ${elsewhere.address}`;
  if (looks.some((look) => look.kind === "answered")) return null;
  const reasons = looks.map((look) => `${look.address}: ${look.kind === "answered" ? "" : look.reason}`);
  return `http://${hostname} does not point to this server (${reasons.join("; ")})`;
}

/** Distinguishes a failed lookup from a response without addresses. */
function noAddress(hostname: string, responses: readonly DnsResponse[]): string {
  const unknown = responses.find(isUnknown);
  switch (unknown?.kind) {
    case "failed":
      return `the addresses of ${hostname} are not known: the resolver ${unknown.resolver} answered ${unknown.reason}`;
    case "silent":
      return `the addresses of ${hostname} are not known: no resolver answered (${unknown.resolver}: ${unknown.reason})`;
    default:
      return `${hostname} has no address: set an A or AAAA record that leads here`;
  }
}
