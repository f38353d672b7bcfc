import { DAY } from "../timestamp.ts";
import { authorityAfter, earliestAttempt } from "./attempts.ts";
import { type Certificate, LOCAL, type ManagedCertificate, type RenewalWindow } from "./certificate.ts";

/** CAs back-date a certificate by an hour or so; more than this between it and its order is a wrong clock. */
const CLOCK_TOLERANCE = 2 * DAY;

/** A CA whose renewal information always says "now" gets one order a day, not one a minute. */
const MIN_REISSUE = DAY;

/**
 * Returns when a certificate is due: at a fixed point of the CA's window (RFC 9773 section 4.2), else at two thirds of
 * its lifetime. `spread` (0 to 1, stable for one certificate) places it in the window, so that many do not fall together.
 * A window that ends after the certificate does would let it lapse and is ignored.
 */
export function renewalTime(certificate: Certificate, window: RenewalWindow | null, spread: number): number {
  const { notBefore, notAfter } = certificate;
  const usable = window !== null && window.start <= window.end && window.end < notAfter;
  if (usable) return Math.round(window.start + spread * (window.end - window.start));
  return Math.round(notBefore + ((notAfter - notBefore) * 2) / 3);
}

/**
 * Returns when the managed certificate is due for an order: at once without one or when it lacks a wanted name, else at
 * its renewal time.
 */
export function dueAt(managed: ManagedCertificate, now: number): number {
  const { current, orderedAt } = managed;
  if (current === null || managed.identifiers.some((name) => !current.names.includes(name))) return 0;
  const due = renewalTime(current, managed.renewal?.window ?? null, spreadOf(managed.subject));
  // Ordered in what is the future now: the clock was set back since, so that moment says nothing any more.
  if (orderedAt === null || orderedAt > now) return due;
  return Math.max(due, orderedAt + holdOf(current, orderedAt));
}

/** Returns a number from 0 to 1 that is always the same for a name and spread evenly over names (FNV-1a). */
export function spreadOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  return hash / 0x1_0000_0000;
}

// --- internal ---

/**
 * Returns for how long a certificate is not replaced whatever its dates say. A clock that jumps ahead makes every
 * certificate look old, and the new one, dated by the CA's clock, as well: what was issued while our clock stood far from
 * the CA's holds for half a lifetime, so that one jump costs one order. Some CAs date back by days, though: what had not
 * ended when it was ordered holds for half of the time that it had left at most.
 */
function holdOf({ notBefore, notAfter }: Certificate, orderedAt: number): number {
  const halfLife = (notAfter - notBefore) / 2;
  const least = Math.min(MIN_REISSUE, halfLife);
  if (Math.abs(orderedAt - notBefore) <= CLOCK_TOLERANCE) return least;
  const left = notAfter - orderedAt;
  return left > 0 ? Math.max(least, Math.min(halfLife, left / 2)) : halfLife;
}

type NextStep =
  | { readonly kind: "wait"; readonly until: number }
  | { readonly kind: "order"; readonly authority: string };

/**
 * Decides what to do about a managed certificate now. `authorities` are the directories of the CAs in order of
 * preference, at least one.
 */
export function nextStep(managed: ManagedCertificate, authorities: readonly string[], now: number): NextStep {
  const { attempts } = managed;
  const authority = authorityAfter(attempts, authorities, now);
  // What the local CA signed is of no use to visitors once a public CA is set, however fresh it is.
  const outdated = managed.current?.authority === LOCAL && !authorities.includes(LOCAL);
  const until = Math.max(outdated ? 0 : dueAt(managed, now), earliestAttempt(attempts, authority, now));
  return until <= now ? { kind: "order", authority } : { kind: "wait", until };
}
