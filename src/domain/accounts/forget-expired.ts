import { MAX_WINDOW } from "../limits/rate-limit.ts";
import { EXPIRED_SHARE_KEPT_MS } from "../model/share.ts";
import type { Store } from "../ports/store.ts";
import { DAY, HOUR } from "../timestamp.ts";

/** Longer than any upload, because publication treats a missing credential as revoked. */
const EXPIRED_CREDENTIAL_KEPT = DAY;

/** The time after expiry in which a poll gets "expired" instead of "unknown". */
const EXPIRED_CODE_KEPT = HOUR;

/** An invitation is created before its reader, and must not be deleted in between. */
const UNUSED_INVITATION_KEPT = HOUR;

/**
 * Deletes expired sessions, visits, codes, unfinished sign-ins, account links, rate events and reserved site names, and
 * unused invitations. Returns their number.
 */
export async function forgetExpired(
  store: Pick<
    Store,
    | "sessions"
    | "publishers"
    | "shares"
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
    await store.shares.removeExpired(now, now - EXPIRED_SHARE_KEPT_MS),
    await store.deviceCodes.removeExpired(now - EXPIRED_CODE_KEPT),
    await store.signInAttempts.removeExpired(now),
    await store.accountLinks.removeExpired(now),
    await store.rateLimits.forget(MAX_WINDOW, now),
    await store.sites.removeFreeNames(now),
    await store.users.removeUnusedInvitations(now - UNUSED_INVITATION_KEPT),
  ];
  return forgotten.reduce((total, count) => total + count, 0);
}
