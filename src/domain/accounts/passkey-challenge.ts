import { addressSubject, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";
import { newCode, seal, unseal } from "./sealed.ts";

/** The time that a user has to answer a challenge. */
export const CHALLENGE_LIFETIME_MS = 5 * MINUTE;

/** What a challenge is for. It is good for nothing else, and for no other user. */
type ChallengePurpose = "sign-in" | `new passkey of ${number}`;

interface Ports {
  readonly store: Pick<Store, "signInAttempts" | "rateLimits">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Pick<Rates, "passkey">;
}

/** A challenge, and the secret for the browser's cookie, which binds the challenge to the browser. */
interface OpenChallenge {
  /** 256 random bits as base64url. */
  readonly challenge: string;
  readonly browserSecret: string;
}

/** Opens a challenge. Throws `too_many_requests` after too many from one address. */
export async function openChallenge(ports: Ports, purpose: ChallengePurpose, address: string): Promise<OpenChallenge> {
  const { store, secrets, clock } = ports;
  const now = clock.now();
  await takeFromLimit(ports, "passkey", addressSubject(address), now);
  const [challenge, browserSecret] = [newCode(secrets), newCode(secrets)];
  await store.signInAttempts.add({
    secretHash: secrets.sha256(browserSecret),
    sealed: await seal(browserSecret, JSON.stringify({ purpose, challenge })),
    expiresAt: now + CHALLENGE_LIFETIME_MS,
    nextPollAt: 0,
  });
  return { challenge, browserSecret };
}

/**
 * Spends the challenge of a browser and returns it; null if it is unknown, spent or expired, or was for another purpose.
 * Nothing that follows can use it again, whether it succeeds or not.
 */
export async function spendChallenge(
  { store, secrets, clock }: Pick<Ports, "clock" | "secrets"> & { readonly store: Pick<Store, "signInAttempts"> },
  purpose: ChallengePurpose,
  browserSecret: string | null,
): Promise<string | null> {
  if (browserSecret === null) return null;
  const taken = await store.signInAttempts.take(secrets.sha256(browserSecret), clock.now());
  const text = taken && (await unseal(browserSecret, taken.sealed));
  if (text === null) return null;
  const opened = JSON.parse(text) as { readonly purpose?: ChallengePurpose; readonly challenge: string };
  return opened.purpose === purpose ? opened.challenge : null;
}
