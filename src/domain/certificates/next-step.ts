import { authorityAfter, earliestAttempt } from "./attempts.ts";
import { LOCAL, type ManagedCertificate } from "./certificate.ts";
import { dueAt } from "./renewal.ts";

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
