import type { Store } from "../ports/store.ts";
import { MAX_WINDOW } from "../rate-limit.ts";
import { DAY, HOUR } from "../timestamp.ts";

/** Longer than any upload: publication takes a missing credential for a revoked one. */
const EXPIRED_CREDENTIAL_KEPT = DAY;

/** So long a device that polls late is told that its code has expired, and not that there never was one. */
const EXPIRED_CODE_KEPT = HOUR;

/** A reader is invited in two steps, and must not lose the invitation in between. */
const UNUSED_INVITATION_KEPT = HOUR;

/**
 * Forgets sessions, visits, codes, unfinished sign-ins, links of accounts, rate events and the names of deleted sites whose time is over, and
 * invitations of readers whom no site has any more; none of them opens or refuses anything any more. Returns how many.
 */
export async function forgetExpired(
  store: Pick<
    Store,
    | "sessions"
    | "publishers"
    | "visits"
    | "deviceCodes"
    | "signInAttempts"
    | "accountLinks"
    | "rateLimits"
    | "sites"
    | "users"
  >,
  now: number,
): Promise<number> {
  const forgotten = [
    await store.sessions.removeExpired(now - EXPIRED_CREDENTIAL_KEPT),
    await store.publishers.removeTokens(now - EXPIRED_CREDENTIAL_KEPT),
    await store.publishers.removeUsedIdTokens(now),
    await store.visits.removeExpired(now),
    await store.deviceCodes.removeExpired(now - EXPIRED_CODE_KEPT),
    await store.signInAttempts.removeExpired(now),
    await store.accountLinks.removeExpired(now),
    await store.rateLimits.forget(MAX_WINDOW, now),
    await store.sites.removeFreeNames(now),
    await store.users.removeUnusedInvitations(now - UNUSED_INVITATION_KEPT),
  ];
  return forgotten.reduce((total, count) => total + count, 0);
}
