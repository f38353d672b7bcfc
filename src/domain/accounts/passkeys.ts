import { DomainError, deletedMeanwhile } from "../errors.ts";
import type { Rates } from "../limits/rate-limit.ts";
import type { SessionCaller } from "../model/caller.ts";
import { MAX_PASSKEYS, type Passkey } from "../model/passkey.ts";
import { requireRecentSignIn } from "../model/recent-sign-in.ts";
import type { PasskeySupport, RelyingParty } from "../model/relying-party.ts";
import type { User } from "../model/user.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Removal } from "../ports/store/passkeys.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import type { RegistrationResponse, WebAuthn } from "../ports/web-authn.ts";
import { openChallenge, spendChallenge } from "./passkey-challenge.ts";
import { creationOptions } from "./passkey-options.ts";

/** Dependencies of the use cases for passkeys. */
export interface PasskeyPorts {
  readonly store: Pick<Store, "passkeys" | "signInAttempts" | "rateLimits">;
  readonly passkeys: PasskeySupport;
  readonly webAuthn: WebAuthn;
  readonly provider: Pick<IdentityProvider, "method" | "label">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Pick<Rates, "passkey">;
}

/**
 * Returns the options with which the caller's browser creates a passkey, and the secret for its cookie. Throws `conflict`
 * if the server has no passkeys, and `too_many_requests`.
 */
export async function beginPasskey(ports: PasskeyPorts, { user }: SessionCaller, address: string) {
  const party = requirePasskeys(ports, user);
  const existing = await ports.store.passkeys.listOfUser(user.id);
  const { challenge, browserSecret } = await openChallenge(ports, `new passkey of ${user.id}`, address);
  return { options: creationOptions(party, user, challenge, existing), browserSecret };
}

/**
 * Adds the passkey that the browser created. Throws `forbidden` without a recent sign-in, which leaves the challenge
 * valid, `invalid` if the response does not fit it, and `conflict` for the eleventh passkey or a known one.
 */
export async function addPasskey(
  ports: PasskeyPorts,
  caller: SessionCaller,
  created: { readonly name: string; readonly response: RegistrationResponse; readonly browserSecret: string | null },
): Promise<Passkey> {
  const { clock, secrets, store, webAuthn } = ports;
  const { user } = caller;
  const now = clock.now();
  requireRecentSignIn(caller, now);
  const party = requirePasskeys(ports, user);
  const challenge = await spendChallenge(ports, `new passkey of ${user.id}`, created.browserSecret);
  const key = challenge && (await webAuthn.verifyRegistration({ party, challenge }, created.response));
  if (!key)
    throw new DomainError("invalid", "the passkey was not accepted: it took too long, or does not fit; try again");
  const id = secrets.random(10).toHex();
  const { name } = created;
  const passkey = { ...key, id, userId: user.id, name, relyingPartyId: party.id, createdAt: now };
  refuse(await store.passkeys.add(passkey, MAX_PASSKEYS));
  return { ...passkey, lastUsedAt: null };
}

/** Renames a passkey of the caller. Throws `not_found`. */
export async function renamePasskey(
  { store }: Pick<PasskeyPorts, "store">,
  { user }: SessionCaller,
  id: string,
  name: string,
): Promise<Passkey> {
  const renamed = await store.passkeys.rename(id, user.id, name);
  if (renamed === null) throw unknownPasskey();
  return renamed;
}

/** Removes a passkey of the caller. Throws `forbidden` without a recent sign-in, `not_found`, and `conflict` for the last way in. */
export async function removePasskey(
  { store, passkeys, clock }: Pick<PasskeyPorts, "store" | "passkeys" | "clock">,
  caller: SessionCaller,
  id: string,
): Promise<void> {
  requireRecentSignIn(caller, clock.now());
  const removal = await store.passkeys.remove(id, caller.user.id, passkeys.party?.id ?? null);
  if (removal === "missing") throw unknownPasskey();
  refuseLastWayIn(removal, "this passkey is your last way to sign in: add another one first");
}

/**
 * Removes the caller's password and ends their other sessions. Throws `forbidden` without a recent sign-in, and `conflict`
 * if there is no password, or no passkey to sign in with instead.
 */
export async function removePassword(
  { store, passkeys, clock }: Pick<PasskeyPorts, "store" | "passkeys" | "clock">,
  caller: SessionCaller,
): Promise<void> {
  requireRecentSignIn(caller, clock.now());
  const removal = await store.passkeys.removePassword(caller.user.id, caller.sessionId, passkeys.party?.id ?? null);
  if (removal === "missing") throw new DomainError("conflict", "there is no password here to remove");
  refuseLastWayIn(removal, "the password is your last way to sign in: add a passkey first");
}

/** Returns why a user cannot have passkeys, or null. */
export function passkeysProblem(
  { passkeys, provider }: Pick<PasskeyPorts, "passkeys" | "provider">,
  user: Pick<User, "provider">,
): string | null {
  if (provider.method === "password" && user.provider === "local") return passkeys.problem;
  return `passkeys are for accounts of this server: you sign in at ${provider.label}`;
}

// --- internal ---

/** Returns the relying party. Throws `conflict` if the user cannot have passkeys. */
function requirePasskeys(ports: Pick<PasskeyPorts, "passkeys" | "provider">, user: User): RelyingParty {
  const problem = passkeysProblem(ports, user);
  if (problem !== null) throw new DomainError("conflict", problem);
  return ports.passkeys.party as RelyingParty;
}

function refuse(added: Awaited<ReturnType<Store["passkeys"]["add"]>>): void {
  if (added === "missing") throw deletedMeanwhile("the account");
  if (added === "taken") throw new DomainError("conflict", "this passkey is known already: use it to sign in");
  if (added === "too_many") {
    throw new DomainError("conflict", `an account has at most ${MAX_PASSKEYS} passkeys: remove one first`);
  }
}

function refuseLastWayIn(removal: Removal, detail: string): void {
  if (removal === "last_way_in") throw new DomainError("conflict", detail);
}

function unknownPasskey(): DomainError {
  return new DomainError("not_found", "the passkey does not exist");
}
