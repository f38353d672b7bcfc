import { VISIT_LIFETIME } from "../access/visit.ts";
import { newCode } from "../accounts/sealed.ts";
import { countCharacters } from "../characters.ts";
import { addressSubject, checkLimit, type Rates, refundLimit, takeFromLimit } from "../limits/rate-limit.ts";
import { MAX_SHARE_PASSWORD_LENGTH, MAX_SHARE_VISITS, MAX_UNNAMED_PASSWORDS, type SharedHost } from "../model/share.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Passwords, Secrets } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";
import { secretPrefix } from "../tokens/secret.ts";
import { type InTurn, makeTurns } from "../turns.ts";

export interface ShareVisitPorts {
  readonly store: Pick<Store, "shares" | "rateLimits">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly passwords: Pick<Passwords, "verify">;
  readonly passwordTurns: InTurn;
  readonly rates: Pick<Rates, "shareGuess" | "sharePassword" | "shareLink">;
}

/** Distinguishes the tokens of these visits from those of signed-in users. */
export const SHARE_VISIT_PREFIX = "share-";

const USE_INTERVAL_MS = MINUTE;

/** Right passwords cost a slow hash as well, and a site can have many visitors who know one. */
const MAX_WAITING_CHECKS = 2;

/** Returns the turns in which the sites of a thread have passwords checked. */
export function passwordTurns(): InTurn {
  return makeTurns(MAX_WAITING_CHECKS, "too many passwords of this site are being checked: try again");
}

/**
 * Returns the token for the host's cookie, or null for a link that is unknown, revoked, expired, or for another host.
 * Throws `too_many_requests` after too many entries by link from the address at this site.
 */
export async function enterByLink(
  ports: ShareVisitPorts,
  at: SharedHost,
  { secret, address }: { readonly secret: string; readonly address: string },
): Promise<string | null> {
  const { store, secrets, clock } = ports;
  if (secretPrefix(secret) !== "vtv") return null;
  const now = clock.now();
  const share = await store.shares.findBySecret(secrets.sha256(secret), "link", at, now);
  if (share === null) return null;
  await takeFromLimit(ports, "shareLink", limited(at, address), now);
  return openVisit(ports, at, share.id);
}

/**
 * Returns the token for the host's cookie, or null for a wrong password. `id` is the id of the share, if the form had
 * one. Throws `too_many_requests` after too many wrong or too many right ones from the address at this site, and
 * `unavailable` while too many passwords of the site are being checked.
 */
export async function enterByPassword(
  ports: ShareVisitPorts,
  at: SharedHost,
  guess: { readonly password: string; readonly id: string | null; readonly address: string },
): Promise<string | null> {
  const subject = limited(at, guess.address);
  const now = ports.clock.now();
  await checkLimit(ports, "sharePassword", subject, now);
  // Counted before the check, so that concurrent attempts are limited as well. A successful one is refunded.
  await takeFromLimit(ports, "shareGuess", subject, now);
  const release = () => refundLimit(ports.store.rateLimits, "shareGuess", subject, now);
  const id = await findByPassword(ports, at, guess).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  if (id === null) return null;
  await release();
  await takeFromLimit(ports, "sharePassword", subject, now);
  return openVisit(ports, at, id);
}

/** Returns whether a bearer token belongs to a share for scripts that opens this host. */
export async function admitsAutomation(ports: ShareVisitPorts, at: SharedHost, secret: string): Promise<boolean> {
  const { store, secrets, clock } = ports;
  if (secretPrefix(secret) !== "vtv") return false;
  const now = clock.now();
  const share = await store.shares.findBySecret(secrets.sha256(secret), "automation", at, now);
  if (share === null) return false;
  if (now - (share.lastUsedAt ?? 0) >= USE_INTERVAL_MS) await store.shares.touch(share.id, now);
  return true;
}

/** Returns whether a cookie's token belongs to a visit whose share is still valid. */
export async function admitsShareVisit(
  { store, secrets, clock }: Pick<ShareVisitPorts, "store" | "secrets" | "clock">,
  at: SharedHost,
  token: string,
): Promise<boolean> {
  return store.shares.admits(secrets.sha256(token), at, clock.now());
}

// --- internal ---

async function openVisit(
  { store, secrets, clock }: ShareVisitPorts,
  { host }: SharedHost,
  shareId: string,
): Promise<string | null> {
  const token = SHARE_VISIT_PREFIX + newCode(secrets);
  const createdAt = clock.now();
  const expiresAt = createdAt + VISIT_LIFETIME;
  const visit = { shareId, tokenHash: secrets.sha256(token), host, createdAt, expiresAt };
  return (await store.shares.enter(visit, MAX_SHARE_VISITS)) ? token : null;
}

/** The subject of the limits of entries. */
function limited({ siteId }: SharedHost, address: string): string {
  return `${siteId} ${addressSubject(address)}`;
}

async function findByPassword(
  { store, clock, passwords, passwordTurns }: ShareVisitPorts,
  at: SharedHost,
  { password, id }: { readonly password: string; readonly id: string | null },
): Promise<string | null> {
  if (countCharacters(password) > MAX_SHARE_PASSWORD_LENGTH) return null;
  const all = await store.shares.listPasswords(at, clock.now());
  const meant = id === null ? all.slice(0, MAX_UNNAMED_PASSWORDS) : all.filter((share) => share.id === id);
  return passwordTurns(String(at.siteId), async () => {
    for (const share of meant) if (await passwords.verify(password, share.passwordHash)) return share.id;
    // Takes the same time if there is nothing to compare with.
    if (meant.length === 0) await passwords.verify(password, null);
    return null;
  });
}
