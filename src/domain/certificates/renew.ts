import type { Failure, ManagedCertificate, PendingOrder, RenewalInfo } from "../model/certificate.ts";
import { type CertificateAuthority, CertificateFailure, type ChallengeProbe } from "../ports/certificate-authority.ts";
import type { HeldLease } from "../ports/store/jobs.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { DAY, HOUR, MINUTE } from "../timestamp.ts";
import { afterFailure, afterSuccess, mayTryUnprobed } from "./attempts.ts";
import { nextStep } from "./renewal.ts";

export interface RenewalPorts {
  readonly store: Pick<Store, "certificates" | "acme">;
  /** The lease of the renewal. Once it is lost, nothing is saved any more. Null if nobody else can run one. */
  readonly lease: HeldLease | null;
  /** In order of preference. */
  readonly authorities: readonly CertificateAuthority[];
  readonly probe: ChallengeProbe;
  readonly clock: Clock;
  /** Yields to the event loop between two names. */
  readonly pause: () => Promise<void>;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

export interface RenewalOutcome {
  readonly issued: readonly string[];
  readonly failed: readonly { readonly subject: string; readonly error: string }[];
  /** When the next pass is due, unless a certificate is requested or released before. */
  readonly nextAt: number;
}

/** Concurrent orders: enough for a busy day, but few enough that a slow CA occupies little. */
const CONCURRENT_ORDERS = 4;

/** Let's Encrypt allows 300 new orders per account in three hours; the rest is left for manual use. */
const MAX_ORDERS = 250;
const ORDERS_WINDOW = 3 * HOUR;

/** Delay of the next pass if a CA was down, or if its limit delayed names. Otherwise it is at most a day. */
const SOON = MINUTE;
const WHEN_PACED = 10 * MINUTE;
const AT_THE_LATEST = DAY;

/**
 * Orders every due certificate, the most urgent first, and records each step before the next one. Failures
 * are recorded, never thrown. An unreachable CA is contacted once per pass, and all its orders share the result. After
 * the signal is aborted, no further order is started.
 */
export async function renewCertificates(ports: RenewalPorts, signal?: AbortSignal): Promise<RenewalOutcome> {
  const directories = ports.authorities.map((authority) => authority.directory);
  const now = ports.clock.now();
  const pass: Pass = {
    ports,
    directories,
    down: new Map(),
    limited: new Set(),
    issued: [],
    failed: [],
    nextAt: now + AT_THE_LATEST,
  };
  const due = (await ports.store.certificates.list()).filter((managed) => isDue(pass, managed));
  due.sort((one, other) => (one.current?.notAfter ?? 0) - (other.current?.notAfter ?? 0));
  await prepareFirst(pass);
  const workers = Array.from({ length: CONCURRENT_ORDERS }, async () => {
    for (let next = due.shift(); next && !signal?.aborted; next = due.shift()) {
      await renewOne(pass, next);
      await ports.pause();
    }
  });
  // After a failure of the store the others still wait for their orders, which the next pass must not resume meanwhile.
  const failed = (await Promise.allSettled(workers)).find((ended) => ended.status === "rejected");
  if (failed) throw failed.reason;
  return { issued: pass.issued, failed: pass.failed, nextAt: pass.nextAt };
}

/**
 * Updates the renewal information that is due from the CAs. A CA that does not respond is skipped for the rest of the
 * pass, and its previous information stays valid.
 */
export async function updateRenewalInformation({
  store,
  authorities,
  clock,
  lease,
}: Pick<RenewalPorts, "store" | "authorities" | "clock" | "lease">): Promise<void> {
  const now = clock.now();
  const silent = new Set<string>();
  let questions = 0;
  for (const { subject, current, renewal } of await store.certificates.list()) {
    const authority = authorities.find((one) => one.directory === current?.authority);
    if (current === null || !authority || (renewal !== null && renewal.nextLookAt > now)) continue;
    if (silent.has(authority.directory) || questions++ >= MAX_INFO_REQUESTS) continue;
    try {
      await store.certificates.saveProgress(subject, { renewal: await authority.renewalInfo(current) }, lease);
    } catch (error) {
      if (!(error instanceof CertificateFailure)) throw error;
      silent.add(authority.directory);
      const later: RenewalInfo = { window: renewal?.window ?? null, nextLookAt: now + AFTER_FAILURE };
      await store.certificates.saveProgress(subject, { renewal: later }, lease);
    }
  }
}

// --- internal ---

interface Pass {
  readonly ports: RenewalPorts;
  readonly directories: readonly string[];
  /** CAs that gave no valid response in this pass, with the failure, which applies to all their orders. */
  readonly down: Map<string, Failure>;
  /** CAs that sent Retry-After. It may apply to all names, so that the others wait for the next pass. */
  readonly limited: Set<string>;
  readonly issued: string[];
  readonly failed: { subject: string; error: string }[];
  /** The earliest time found so far at which a certificate is due. */
  nextAt: number;
}

/** Returns whether the certificate must be ordered now; otherwise records when. */
function isDue(pass: Pass, managed: ManagedCertificate): boolean {
  const step = nextStep(managed, pass.directories, pass.ports.clock.now());
  if (step.kind === "wait") pass.nextAt = Math.min(pass.nextAt, step.until);
  return step.kind === "order";
}

async function recordNext(pass: Pass, subject: string): Promise<void> {
  const managed = await pass.ports.store.certificates.find(subject);
  if (managed !== null && isDue(pass, managed)) pass.nextAt = pass.ports.clock.now();
}

/**
 * Creates the account with the first CA that responds, in order of preference, even if nothing is due, so that the
 * capability can report it.
 */
async function prepareFirst(pass: Pass): Promise<void> {
  for (const authority of pass.ports.authorities) {
    try {
      return await authority.prepare();
    } catch (error) {
      if (!(error instanceof CertificateFailure)) throw error;
      recordDown(pass, authority, error.failure);
    }
  }
}

function recordDown(pass: Pass, authority: CertificateAuthority, failure: Failure): void {
  pass.down.set(authority.directory, failure);
  repeatAfter(pass, SOON);
}

function repeatAfter(pass: Pass, after: number): void {
  pass.nextAt = Math.min(pass.nextAt, pass.ports.clock.now() + after);
}

async function renewOne(pass: Pass, managed: ManagedCertificate): Promise<void> {
  const { store, clock } = pass.ports;
  const step = nextStep(managed, pass.directories, clock.now());
  if (step.kind === "wait") return;
  const authority = pass.ports.authorities.find((one) => one.directory === step.authority) as CertificateAuthority;
  const down = pass.down.get(authority.directory);
  if (down) {
    await fail(pass, managed, down);
    return recordNext(pass, managed.subject);
  }
  if (pass.limited.has(authority.directory)) return repeatAfter(pass, SOON);
  if (pendingWith(managed, authority) === null && (await isPaced(pass, authority)))
    return repeatAfter(pass, WHEN_PACED);

  try {
    await authority.prepare();
    const { certificate, placedAt } = await obtain(pass.ports, managed, authority);
    const now = clock.now();
    const when = { orderedAt: Math.min(now, placedAt), at: now };
    const attempts = afterSuccess(managed.attempts, now);
    const kept = await store.certificates.install(managed.subject, certificate, when, attempts, pass.ports.lease);
    if (kept) pass.issued.push(managed.subject);
  } catch (error) {
    if (!(error instanceof CertificateFailure)) throw error;
    if (error.failure.kind === "unreachable") recordDown(pass, authority, error.failure);
    else if (error.failure.retryAfter !== null) pass.limited.add(authority.directory);
    await fail(pass, managed, error.failure);
  }
  await recordNext(pass, managed.subject);
}

async function obtain(ports: RenewalPorts, managed: ManagedCertificate, authority: CertificateAuthority) {
  const { store, clock } = ports;
  const pending = pendingWith(managed, authority);
  const attempts = pending === null ? await probeFirst(ports, managed) : managed.attempts;
  const { identifiers, challenge, subject, current } = managed;
  let placedAt = pending?.placedAt ?? clock.now();
  const certificate = await authority.obtain({
    identifiers,
    challenge,
    pending,
    replaces: current?.authority === authority.directory ? current.renewalId : null,
    async placed(order) {
      placedAt = clock.now();
      await store.acme.countOrder(authority.directory, placedAt);
      await store.certificates.saveProgress(subject, { pending: { ...order, placedAt }, attempts }, ports.lease);
    },
  });
  return { certificate, placedAt };
}

/** Returns the unfinished order at this CA, if any. */
function pendingWith({ pending }: ManagedCertificate, { directory }: CertificateAuthority): PendingOrder | null {
  return pending?.authority === directory ? pending : null;
}

/**
 * Probes the names like the CA. A failed probe usually ends the attempt; every few hours the CA is tried
 * anyway, because some networks cannot reach their own public address.
 */
async function probeFirst({ probe, clock }: RenewalPorts, managed: ManagedCertificate) {
  for (const identifier of managed.identifiers) {
    const error = await probe.probe(identifier, managed.challenge);
    if (error === null) continue;
    const now = clock.now();
    if (mayTryUnprobed(managed.attempts, now)) return { ...managed.attempts, unprobedAt: now };
    throw new CertificateFailure({ kind: "probe", error, authority: null, retryAfter: null });
  }
  return managed.attempts;
}

async function fail(pass: Pass, managed: ManagedCertificate, failure: Failure): Promise<void> {
  const { store, clock, random, lease } = pass.ports;
  const known = (await store.certificates.find(managed.subject)) ?? managed;
  const attempts = afterFailure(known.attempts, failure, known.current, clock.now(), random());
  // An order with a result is finished; one whose response was lost is resumed.
  const goesOn = failure.kind === "unreachable" || failure.kind === "undecided";
  const pending = goesOn ? known.pending : null;
  await store.certificates.saveProgress(managed.subject, { attempts, pending }, lease);
  pass.failed.push({ subject: managed.subject, error: failure.error });
}

async function isPaced(pass: Pass, authority: CertificateAuthority): Promise<boolean> {
  const since = pass.ports.clock.now() - ORDERS_WINDOW;
  return (await pass.ports.store.acme.ordersSince(authority.directory, since)) >= MAX_ORDERS;
}

/** Maximum requests per pass, in sequence: 1,800 certificates in six hours with a pass every ten minutes. */
const MAX_INFO_REQUESTS = 50;

/** RFC 9773 section 4.3.3: after a failure, ask again in six hours. */
const AFTER_FAILURE = 6 * HOUR;
