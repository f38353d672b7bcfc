import { unlessUnavailable } from "../errors.ts";
import { hasExpired, type ManagedCertificate, type PresentedCertificate } from "../model/certificate.ts";
import type { CertificateStatus, Certificates } from "../ports/certificates.ts";
import type { WantedCertificate } from "../ports/store/certificates.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { nextStep } from "./renewal.ts";
import { isSufficient } from "./wanted.ts";

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

/** Returns the certificates port for ACME CAs; `directories` are in order of preference. */
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
 * Returns the certificates port without orders, for TLS `off`, `manual` or `internal`. Certificates of
 * earlier settings are still released.
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
 * Updates the certificates of the server's own hosts and releases those of earlier settings: a claim that
 * is routed under such a name gets its certificate back. Certificates of other claims stay: they may be needed again
 * after the next change of settings.
 */
export async function wantOwnCertificates(ports: ClaimsHolding, wanted: readonly WantedCertificate[]): Promise<void> {
  await wantExactly(ports, "appliance", wanted);
}

/** Requests a certificate for every routed hostname from the local CA, and releases the others. */
export async function wantRoutedCertificates(ports: ClaimsHolding): Promise<void> {
  const hostnames = await ports.store.claims.listRouted();
  await wantExactly(ports, "claim", hostnames.map(wantedByClaim));
}

/**
 * Catches up with claims that changed while ordering was off: releases certificates of hostnames that are not routed
 * any more, and makes the check of every hostname without one due, which may order it. If ordering was on before as well,
 * hostnames without one keep their plans: they fail, or an edge has its own certificate.
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
  // Recorded last, so that an interrupted start is repeated by the next one.
  await store.certificates.noteOrdering(true);
}

/** Returns the existing certificates in the form that listeners present. */
export async function listPresentable({ store }: Pick<Holding, "store">): Promise<readonly PresentedCertificate[]> {
  const managed = await store.certificates.list();
  return managed.flatMap(({ subject, current }) =>
    current === null ? [] : [{ name: subject, notAfter: current.notAfter }],
  );
}

/**
 * Makes every listener present the current certificates, and records that. The revision is read first, because a
 * certificate that is installed meanwhile may be missing in the listeners' sets, and is presented again.
 */
export async function presentCurrent<T>({ store }: Pick<Holding, "store">, present: () => Promise<T>): Promise<T> {
  const revision = await unlessUnavailable(store.certificates.revision(), null);
  const result = await present();
  if (revision !== null) await unlessUnavailable(store.certificates.setLive(revision), undefined);
  return result;
}

// --- internal ---

/** Returns the first CA with an account; null if there is none. */
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
    const one = missing.get(managed.subject);
    if (one === undefined && managed.origin === origin) await letGo(ports, managed);
    if (one !== undefined && isSufficient(managed, one)) missing.delete(managed.subject);
  }
  for (const one of missing.values()) await store.certificates.want(one);
}

async function letGo({ store, clock }: ClaimsHolding, { subject, origin }: ManagedCertificate): Promise<void> {
  const holder = origin === "appliance" ? await store.claims.findHolder(subject) : null;
  if (holder?.routeStatus === "routed") await store.certificates.releaseToClaim(wantedByClaim(subject));
  else await store.certificates.release(subject, clock.now());
}

const NOTHING: CertificateStatus = { state: "none", error: null, notAfter: null, issuer: null, nextTryAt: null };

function statusOf(managed: ManagedCertificate, directories: readonly string[], now: number): CertificateStatus {
  const { current, attempts, live } = managed;
  const valid = current !== null && !hasExpired(current, now);
  const step = nextStep(managed, directories, now);
  return {
    state: valid ? (live ? "ready" : "ordering") : attempts.error === null ? "ordering" : "failed",
    error: attempts.error,
    notAfter: valid ? current.notAfter : null,
    issuer: valid ? current.authority : null,
    nextTryAt: step.kind === "wait" ? step.until : now,
  };
}
