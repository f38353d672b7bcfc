import { DomainError } from "../errors.ts";
import type { Rates } from "../limits/rate-limit.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { tryPassword } from "./password-sign-in.ts";

/**
 * Confirms the identity of the caller again, which counts as a sign-in for this session only. Throws `conflict` if
 * another provider manages the passwords, `forbidden` if the password is wrong, and `too_many_requests` as sign-in
 * does.
 */
export async function confirmSignIn(
  ports: {
    store: Pick<Store, "sessions" | "rateLimits">;
    provider: IdentityProvider;
    clock: Clock;
    rates: Pick<Rates, "signIn">;
    sleep: (milliseconds: number) => Promise<void>;
  },
  { user, sessionId }: SessionCaller,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<void> {
  const { provider } = ports;
  if (provider.method !== "password" || user.provider !== "local") {
    throw new DomainError("conflict", `the password is not kept here: sign in again at ${provider.label}`);
  }
  const found = await tryPassword({ ...ports, provider }, { login: user.login, password, address });
  if (found?.identity.subject !== user.subject) throw new DomainError("forbidden", "the password is wrong");
  await ports.store.sessions.confirm(sessionId, ports.clock.now());
}
