import { DomainError } from "../errors.ts";
import type { Rates } from "../limits/rate-limit.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Passwords } from "../ports/system.ts";
import { checkNewPassword } from "./password-rules.ts";
import { tryPassword } from "./password-sign-in.ts";

interface PasswordChange {
  readonly oldPassword: string;
  readonly newPassword: string;
  /** The client's IP address. Guessing the old password counts against the sign-in limit. */
  readonly address: string;
}

/**
 * Changes the caller's password and ends their other sessions. Throws `conflict` if another provider manages the
 * passwords, `invalid` for an unusable new password, `forbidden` if the old one is wrong, and `too_many_requests` after
 * too many sign-ins and changes from one address.
 */
export async function changePassword(
  ports: {
    store: Pick<Store, "users" | "rateLimits">;
    provider: IdentityProvider;
    passwords: Pick<Passwords, "hash">;
    clock: Clock;
    rates: Pick<Rates, "signIn">;
    sleep: (milliseconds: number) => Promise<void>;
  },
  { user, sessionId }: SessionCaller,
  { oldPassword, newPassword, address }: PasswordChange,
): Promise<void> {
  const { provider } = ports;
  if (provider.method !== "password" || user.provider !== "local") {
    throw new DomainError(
      "conflict",
      `the password is not kept here: change it where you sign in, at ${provider.label}`,
    );
  }
  checkNewPassword(newPassword);
  const found = await tryPassword({ ...ports, provider }, { login: user.login, password: oldPassword, address });
  if (found?.identity.subject !== user.subject) throw new DomainError("forbidden", "the old password is wrong");
  const change = { from: found.passwordHash, to: await ports.passwords.hash(newPassword), keptSession: sessionId };
  if (await ports.store.users.changePassword(user.id, change)) return;
  throw new DomainError("conflict", "the password was changed elsewhere meanwhile: sign in again");
}
