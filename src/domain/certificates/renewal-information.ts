import { type CertificateAuthority, CertificateFailure } from "../ports/certificate-authority.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { HOUR } from "../timestamp.ts";
import type { RenewalInfo } from "./certificate.ts";

interface Ports {
  readonly store: Pick<Store, "certificates">;
  readonly authorities: readonly CertificateAuthority[];
  readonly clock: Clock;
}

/** Questions a pass asks at most, one after the other: with a pass every ten minutes, 1,800 certificates in six hours. */
const QUESTIONS_PER_PASS = 50;

/** RFC 9773 section 4.3.3: after a failure, ask again in six hours. */
const AFTER_FAILURE = 6 * HOUR;

/**
 * Asks the CAs when they want their certificates renewed, where it is time to ask. A CA that does not answer is left
 * alone for the rest of the pass, and what it said before stays in force.
 */
export async function lookForRenewalInformation({ store, authorities, clock }: Ports): Promise<void> {
  const now = clock.now();
  const silent = new Set<string>();
  let questions = 0;
  for (const { subject, current, renewal } of await store.certificates.list()) {
    const authority = authorities.find((one) => one.directory === current?.authority);
    if (current === null || !authority || (renewal !== null && renewal.nextLookAt > now)) continue;
    if (silent.has(authority.directory) || questions++ >= QUESTIONS_PER_PASS) continue;
    try {
      await store.certificates.saveProgress(subject, { renewal: await authority.renewalInfo(current) });
    } catch (error) {
      if (!(error instanceof CertificateFailure)) throw error;
      silent.add(authority.directory);
      const later: RenewalInfo = { window: renewal?.window ?? null, nextLookAt: now + AFTER_FAILURE };
      await store.certificates.saveProgress(subject, { renewal: later });
    }
  }
}
