import type { CertificateStatus, Certificates } from "../ports/certificates.ts";
import type { Clock } from "../ports/clock.ts";
import type { WantedCertificate } from "../ports/store/certificates.ts";
import type { Store } from "../ports/store.ts";
import { hasExpired, type ManagedCertificate } from "./certificate.ts";
import { nextStep } from "./renewal.ts";
import { isFiled } from "./wanted.ts";

interface Holding {
  readonly store: Pick<Store, "certificates">;
  readonly clock: Clock;
}

interface Ordering extends Holding {
  readonly store: Pick<Store, "certificates" | "acme">;
}

interface ClaimsHolding extends Holding {
  readonly store: Pick<Store, "certificates" | "claims">;
}

/** Returns the certificates of claimed hostnames as an ACME CA issues them; `directories` in order of preference. */
export function orderedCertificates({ store, clock }: Ordering, directories: readonly string[]): Certificates {
  const [preferred = ""] = directories;
  return {
    async automation() {
      const usable = await firstUsable(store, directories);
      return { enabled: true, issuer: usable ?? preferred, challenge: "http-01", ready: usable !== null };
    },

    async request(hostname) {
      await store.certificates.want(wantedByClaim(hostname));
    },

    async status(hostname) {
      const managed = await store.certificates.find(hostname);
      return managed === null ? NOTHING : statusOf(managed, directories, clock.now());
    },

    release: (hostname) => releaseClaimed({ store, clock }, hostname),
  };
}

/**
 * Returns the port for a server that orders nothing: TLS `off`, `manual` or `internal`. What was ordered under
 * earlier settings is released all the same.
 */
export function noCertificates({ store, clock }: Holding): Certificates {
  return {
    automation: async () => ({ enabled: false, issuer: null, challenge: null, ready: true }),
    request: async () => {},
    status: async () => NOTHING,
    release: (hostname) => releaseClaimed({ store, clock }, hostname),
  };
}

/**
 * Files what the server wants for its own hosts, and lets go of what it wanted under earlier settings: a claim that
 * is routed under such a name has its certificate back. Those of other claims stay: their names may be connected again
 * under the settings to come.
 */
export async function wantOwnCertificates(ports: ClaimsHolding, wanted: readonly WantedCertificate[]): Promise<void> {
  await wantExactly(ports, "appliance", wanted);
}

/** Files a certificate for every routed hostname, where the local CA signs for all of them, and drops the others. */
export async function wantRoutedCertificates(ports: ClaimsHolding): Promise<void> {
  const hostnames = await ports.store.claims.listRouted();
  await wantExactly(ports, "claim", hostnames.map(wantedByClaim));
}

/**
 * Catches up with what became of claims while nothing was ordered: drops the certificates of names that are not routed
 * any more, and makes the look at every name without one due, which may order it. Where they were ordered before as well,
 * names without one have their plans: they do not work, or an edge in front has its own.
 */
export async function catchUpWithClaims({ store, clock }: ClaimsHolding): Promise<void> {
  const unasked = new Set(await store.claims.listRouted());
  for (const { subject, origin } of await store.certificates.list()) {
    if (origin === "claim" && !unasked.has(subject)) await store.certificates.release(subject, clock.now());
    unasked.delete(subject);
  }
  if (await store.certificates.isOrdering()) return;
  for (const hostname of unasked) {
    const holder = await store.claims.findHolder(hostname);
    if (holder !== null) await store.claims.bringForward(holder.id, clock.now());
  }
  // Noted last: a start that is cut off before is made up for by the next, and no look comes in between.
  await store.certificates.noteOrdering(true);
}

// --- internal ---

/** Returns the first CA with which there is an account; null while there is none. */
async function firstUsable({ acme }: Pick<Store, "acme">, directories: readonly string[]): Promise<string | null> {
  for (const directory of directories) {
    const account = await acme.account(directory);
    if (typeof account?.url === "string") return directory;
  }
  return null;
}

function wantedByClaim(hostname: string): WantedCertificate {
  return { identifiers: [hostname], challenge: "http-01", origin: "claim" };
}

async function releaseClaimed({ store, clock }: Holding, hostname: string): Promise<void> {
  const managed = await store.certificates.find(hostname);
  if (managed?.origin === "claim") await store.certificates.release(hostname, clock.now());
}

async function wantExactly(
  ports: ClaimsHolding,
  origin: ManagedCertificate["origin"],
  wanted: readonly WantedCertificate[],
): Promise<void> {
  const { store } = ports;
  const missing = new Map(wanted.map((one) => [one.identifiers[0], one]));
  for (const managed of await store.certificates.list()) {
    const wish = missing.get(managed.subject);
    if (wish === undefined && managed.origin === origin) await letGo(ports, managed);
    if (wish !== undefined && isFiled(managed, wish)) missing.delete(managed.subject);
  }
  for (const one of missing.values()) await store.certificates.want(one);
}

async function letGo({ store, clock }: ClaimsHolding, { subject, origin }: ManagedCertificate): Promise<void> {
  const holder = origin === "appliance" ? await store.claims.findHolder(subject) : null;
  if (holder?.routeStatus === "routed") await store.certificates.handBack(wantedByClaim(subject));
  else await store.certificates.release(subject, clock.now());
}

const NOTHING: CertificateStatus = { state: "none", error: null, notAfter: null, nextTryAt: null };

function statusOf(managed: ManagedCertificate, directories: readonly string[], now: number): CertificateStatus {
  const { current, attempts, live } = managed;
  const valid = current !== null && !hasExpired(current, now);
  const step = nextStep(managed, directories, now);
  return {
    state: valid ? (live ? "ready" : "ordering") : attempts.error === null ? "ordering" : "failed",
    error: attempts.error,
    notAfter: valid ? current.notAfter : null,
    nextTryAt: step.kind === "wait" ? step.until : now,
  };
}
