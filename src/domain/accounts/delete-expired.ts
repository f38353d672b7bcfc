import { MAX_WINDOW } from "../limits/rate-limit.ts";
import { UNUSED_CLIENT_KEPT } from "../model/agent.ts";
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
 * Deletes expired sessions, visits, codes, unused agents, unfinished sign-ins, account links, rate events and reserved site names, and
 * unused invitations. Returns their number.
 */
export async function deleteExpired(
  store: Pick<
    Store,
    | "sessions"
    | "publishers"
    | "shares"
    | "visits"
    | "deviceCodes"
    | "agents"
    | "signInAttempts"
    | "accountLinks"
    | "rateLimits"
    | "sites"
    | "users"
  >,
  now: number,
): Promise<number> {
  const forgotten = [
    await store.sessions.deleteExpired(now - EXPIRED_CREDENTIAL_KEPT),
    await store.publishers.deleteTokens(now - EXPIRED_CREDENTIAL_KEPT),
    await store.publishers.deleteUsedIdTokens(now),
    await store.visits.deleteExpired(now),
    await store.shares.deleteExpired(now, now - EXPIRED_SHARE_KEPT_MS),
    await store.deviceCodes.deleteExpired(now - EXPIRED_CODE_KEPT),
    await store.agents.deleteExpired(now, now - UNUSED_CLIENT_KEPT),
    await store.signInAttempts.deleteExpired(now),
    await store.accountLinks.deleteExpired(now),
    await store.rateLimits.deleteOld(MAX_WINDOW, now),
    await store.sites.deleteFreeNames(now),
    await store.users.deleteUnusedInvitations(now - UNUSED_INVITATION_KEPT),
  ];
  return forgotten.reduce((total, count) => total + count, 0);
}
