import { DomainError } from "../errors.ts";
import { addressSubject, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import type { Rate } from "../model/rate.ts";
import type { Signup, User } from "../model/user.ts";
import type { PasswordProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";
import { admit } from "./admit.ts";
import { isPasswordTooLong } from "./password-rules.ts";

/**
 * A limit per IP address does not stop guessing from many addresses. From the third failure on, every
 * response for the login is delayed, for everybody. It is not refused, so that nobody can lock out the owner.
 */
const DELAY_STEP_MS = 250;
const MAX_DELAY_MS = 2000;
const FREE_FAILURES = 3;
const FAILURES: Rate = { count: 1000, window: 15 * MINUTE };

interface PasswordAttempt {
  readonly login: string;
  readonly password: string;
  readonly address: string;
}

/** A password sign-in. Its session is created only if the verified hash is still stored. */
export interface PasswordSignIn {
  readonly user: User;
  readonly passwordHash: string;
}

interface TryPorts {
  readonly store: Pick<Store, "rateLimits">;
  readonly provider: PasswordProvider;
  readonly clock: Clock;
  readonly rates: Pick<Rates, "signIn">;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * Signs in with a password. Throws `unauthenticated` if it is wrong, `too_many_requests`
 * after too many sign-ins from one address, and `forbidden` if the user is not admitted.
 */
export async function signInWithPassword(
  ports: TryPorts & { store: Pick<Store, "users">; signup: Signup },
  attempt: PasswordAttempt,
): Promise<PasswordSignIn> {
  const found = await tryPassword(ports, attempt);
  if (found === null) throw wrongSignIn();
  return { user: await admit(ports, found.identity), passwordHash: found.passwordHash };
}

/**
 * Verifies a password. Returns the identity and the hash, or null. Counts against the sign-in limit of
 * the address; throws `too_many_requests`.
 */
export async function tryPassword(ports: TryPorts, { login, password, address }: PasswordAttempt) {
  const { rateLimits } = ports.store;
  const now = ports.clock.now();
  await takeFromLimit(ports, "signIn", addressSubject(address), now);
  const failures = `wrong-password ${login.toLowerCase().slice(0, 100)}`;
  const delay = delayAfter(await rateLimits.count(failures, FAILURES.window, now));
  if (delay > 0) await ports.sleep(delay);
  const fits = ports.provider.isLogin(login) && !isPasswordTooLong(password);
  const found = fits ? await ports.provider.authenticate(login, password) : null;
  if (found === null) await rateLimits.take(failures, FAILURES, now);
  return found;
}

/** The error of every sign-in that fails, whatever is wrong and however it was tried. */
export function wrongSignIn(): DomainError {
  return new DomainError("unauthenticated", "login or password is wrong");
}

/** Returns the delay after failures of one login within a quarter of an hour. */
export function delayAfter(failures: number): number {
  if (failures < FREE_FAILURES) return 0;
  return Math.min(MAX_DELAY_MS, DELAY_STEP_MS * 2 ** (failures - FREE_FAILURES));
}
