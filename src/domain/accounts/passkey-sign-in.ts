import { DomainError } from "../errors.ts";
import { addressSubject, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import type { Passkey } from "../model/passkey.ts";
import type { Signup, User } from "../model/user.ts";
import type { Store } from "../ports/store.ts";
import type { AssertionResponse } from "../ports/web-authn.ts";
import { admit } from "./admit.ts";
import { openChallenge, spendChallenge } from "./passkey-challenge.ts";
import { requestOptions, userHandle } from "./passkey-options.ts";
import type { PasskeyPorts } from "./passkeys.ts";
import { wrongSignIn } from "./password-sign-in.ts";

interface Ports extends PasskeyPorts {
  readonly rates: Pick<Rates, "signIn" | "passkey">;
}

/** A browser's answer to a challenge. */
export interface PasskeyAnswer {
  readonly response: AssertionResponse;
  /** From the cookie that came with the challenge. */
  readonly browserSecret: string | null;
  readonly address: string;
}

/** A sign-in with a passkey. Its session is created only if the passkey still exists. */
interface PasskeySignIn {
  readonly user: User;
  readonly passkeyId: string;
}

/**
 * Returns the options with which a browser signs in with any passkey, and the secret for its cookie. Throws `conflict` if
 * the server has no passkeys, and `too_many_requests`.
 */
export async function beginPasskeySignIn(ports: Ports, address: string) {
  const { passkeys, provider } = ports;
  if (provider.method !== "password") {
    throw new DomainError("conflict", `there are no passkeys here: people sign in at ${provider.label}`);
  }
  if (passkeys.party === null) throw new DomainError("conflict", passkeys.problem);
  const { challenge, browserSecret } = await openChallenge(ports, "sign-in", address);
  return { options: requestOptions(passkeys.party, challenge), browserSecret };
}

/**
 * Signs in with a passkey. Throws `unauthenticated` like a wrong password, whatever is wrong, `too_many_requests` after
 * too many sign-ins from one address, and `forbidden` if the user is not admitted.
 */
export async function signInWithPasskey(
  ports: Ports & { readonly store: Pick<Store, "users">; readonly signup: Signup },
  answer: PasskeyAnswer,
): Promise<PasskeySignIn> {
  const found = await provePasskey(ports, answer);
  if (found === null) throw wrongSignIn();
  return { user: await admit(ports, found.user), passkeyId: found.passkey.id };
}

/**
 * Verifies an answer and records the use of the passkey. Returns it with its user, or null. Spends the challenge, and
 * counts against the sign-in limit of the address; throws `too_many_requests`.
 */
export async function provePasskey(
  ports: Ports,
  { response, browserSecret, address }: PasskeyAnswer,
): Promise<{ readonly passkey: Passkey; readonly user: User } | null> {
  const { store, clock, passkeys, provider, webAuthn } = ports;
  const now = clock.now();
  await takeFromLimit(ports, "signIn", addressSubject(address), now);
  const challenge = await spendChallenge(ports, "sign-in", browserSecret);
  if (challenge === null || passkeys.party === null || provider.method !== "password") return null;
  const found = await store.passkeys.findByCredential(response.id);
  if (found === null || !isOwnHandle(found.user, response)) return null;
  const proof = await webAuthn.verifyAssertion({ party: passkeys.party, challenge }, response, found.passkey);
  if (proof === null) return null;
  const isRecorded = await store.passkeys.recordUse(found.passkey.id, { counter: proof.counter, at: now });
  return isRecorded ? found : null;
}

// --- internal ---

/** Authenticators that found the passkey by themselves say whose it is. */
function isOwnHandle(user: User, { response }: AssertionResponse): boolean {
  const handle = response.userHandle ?? null;
  return handle === null || handle === userHandle(user);
}
