import { DomainError } from "../errors.ts";
import type { Rates } from "../limits/rate-limit.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { User } from "../model/user.ts";
import type { IdentityProvider, PasswordProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import { type PasskeyAnswer, provePasskey } from "./passkey-sign-in.ts";
import type { PasskeyPorts } from "./passkeys.ts";
import { tryPassword } from "./password-sign-in.ts";

interface Ports extends PasskeyPorts {
  readonly store: PasskeyPorts["store"] & Pick<Store, "sessions">;
  readonly provider: IdentityProvider;
  readonly rates: Pick<Rates, "signIn" | "passkey">;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The password, or the answer of a passkey to the challenge of a sign-in. */
type Confirmation = { readonly password: string; readonly address: string } | PasskeyAnswer;

/**
 * Confirms the identity of the caller again, which counts as a sign-in for this session only. Throws `conflict` if
 * another provider manages the accounts, `forbidden` if the password is wrong or the passkey is not theirs, and
 * `too_many_requests` as sign-in does.
 */
export async function confirmSignIn(
  ports: Ports,
  { user, sessionId }: SessionCaller,
  confirmation: Confirmation,
): Promise<void> {
  const { provider } = ports;
  if (provider.method !== "password" || user.provider !== "local") {
    throw new DomainError("conflict", `the password is not kept here: sign in again at ${provider.label}`);
  }
  if ("password" in confirmation) await checkPassword({ ...ports, provider }, user, confirmation);
  else await checkPasskey(ports, user, confirmation);
  await ports.store.sessions.confirm(sessionId, ports.clock.now());
}

// --- internal ---

async function checkPassword(
  ports: Ports & { readonly provider: PasswordProvider },
  { login, subject }: User,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<void> {
  const found = await tryPassword(ports, { login, password, address });
  if (found?.identity.subject !== subject) throw new DomainError("forbidden", "the password is wrong");
}

async function checkPasskey(ports: Ports, { id }: User, answer: PasskeyAnswer): Promise<void> {
  const found = await provePasskey(ports, answer);
  if (found?.user.id !== id)
    throw new DomainError("forbidden", "the passkey was not accepted: use one of your account");
}
