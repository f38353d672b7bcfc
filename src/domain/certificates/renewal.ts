import { type Certificate, LOCAL, type ManagedCertificate, type RenewalWindow } from "../model/certificate.ts";
import { DAY } from "../timestamp.ts";
import { authorityAfter, earliestAttempt } from "./attempts.ts";

/** CAs back-date certificates by about an hour. A larger difference from the order means that the clock is wrong. */
const CLOCK_TOLERANCE = 2 * DAY;

/** Limits a CA whose renewal information always says "now" to one order a day. */
const MIN_REISSUE = DAY;

/**
 * Returns when a certificate is due: at a fixed point of the CA's window (RFC 9773 section 4.2), otherwise at two thirds of
 * its lifetime. `spread` (0 to 1, constant for a certificate) is the position in the window, to distribute renewals.
 * A window that ends after the certificate would let it expire and is ignored.
 */
export function renewalTime(certificate: Certificate, window: RenewalWindow | null, spread: number): number {
  const { notBefore, notAfter } = certificate;
  const usable = window !== null && window.start <= window.end && window.end < notAfter;
  if (usable) return Math.round(window.start + spread * (window.end - window.start));
  return Math.round(notBefore + ((notAfter - notBefore) * 2) / 3);
}

/**
 * Returns when an order is due: at once without a certificate or if it lacks a wanted name, otherwise at
 * its renewal time.
 */
export function dueAt(managed: ManagedCertificate, now: number): number {
  const { current, orderedAt } = managed;
  if (current === null || managed.identifiers.some((name) => !current.names.includes(name))) return 0;
  const due = renewalTime(current, managed.renewal?.window ?? null, spreadOf(managed.subject));
  // An order in the future means that the clock was set back; its time is useless.
  if (orderedAt === null || orderedAt > now) return due;
  return Math.max(due, orderedAt + holdOf(current, orderedAt));
}

/** Returns a constant number from 0 to 1 for a name, uniformly distributed over names (FNV-1a). */
export function spreadOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  return hash / 0x1_0000_0000;
}

/**
 * Decides whether to order a certificate now. `authorities` are the directories of the CAs in order of
 * preference, at least one.
 */
export function nextStep(managed: ManagedCertificate, authorities: readonly string[], now: number): NextStep {
  const { attempts } = managed;
  const authority = authorityAfter(attempts, authorities, now);
  // With a public CA configured, a certificate of the local CA is always replaced.
  const outdated = managed.current?.authority === LOCAL && !authorities.includes(LOCAL);
  const until = Math.max(outdated ? 0 : dueAt(managed, now), earliestAttempt(attempts, authority, now));
  return until <= now ? { kind: "order", authority } : { kind: "wait", until };
}

// --- internal ---

/**
 * Returns for how long a certificate is not replaced, whatever its dates. A clock that jumps ahead makes every
 * certificate look old, even a new one, which has the CA's dates: a certificate issued while the clocks differed
 * is kept for half its lifetime, so that a jump costs one order only. Some CAs back-date by days: a certificate that
 * had not expired when it was ordered is kept for at most half of its remaining time.
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
