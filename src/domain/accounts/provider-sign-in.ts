import { DomainError } from "../errors.ts";
import { addressSubject, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import type { Signup, User } from "../model/user.ts";
import type { DeviceCodeProvider, ProviderDeviceCode, RedirectProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { MINUTE, SECOND } from "../timestamp.ts";
import { admit } from "./admit.ts";
import { newCode, seal, unseal } from "./sealed.ts";

/** The time that a user has at the provider. */
const ATTEMPT_LIFETIME = 15 * MINUTE;

interface Ports {
  readonly store: Pick<Store, "users" | "rateLimits" | "signInAttempts">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly signup: Signup;
  readonly rates: Pick<Rates, "signIn">;
}

/** The page to return to after the sign-in. */
interface AttemptRequest {
  readonly returnTo: string;
  readonly address: string;
}

interface FinishedSignIn {
  readonly user: User;
  readonly returnTo: string;
}

/**
 * Starts a sign-in at the provider. Returns the URL for the browser, and the secret for its cookie, which binds the
 * sign-in to the browser. Throws `too_many_requests` after too many sign-ins from one address.
 */
export async function beginRedirect(
  ports: Ports & { provider: RedirectProvider },
  redirectUri: string,
  request: AttemptRequest,
): Promise<{ readonly url: string; readonly browserSecret: string }> {
  await countSignIn(ports, request.address);
  const state = newCode(ports.secrets);
  const { url, secret } = await ports.provider.begin(redirectUri, state);
  const browserSecret = await keepAttempt(ports, { state, secret, returnTo: request.returnTo }, ATTEMPT_LIFETIME, 0);
  return { url, browserSecret };
}

/**
 * Finishes a sign-in with the provider's response. An attempt can be finished once, whether it succeeds or not. Its
 * `state` is compared first, because anybody can link to the callback with another one.
 */
export async function finishRedirect(
  ports: Ports & { provider: RedirectProvider },
  redirectUri: string,
  response: URLSearchParams,
  browserSecret: string | null,
): Promise<FinishedSignIn> {
  if (browserSecret === null) throw unknownAttempt();
  const { signInAttempts } = ports.store;
  const [secretHash, now] = [ports.secrets.sha256(browserSecret), ports.clock.now()];
  const kept = await signInAttempts.find(secretHash, now);
  const { state, secret, returnTo } = await readAttempt<RedirectAttempt>(browserSecret, kept?.sealed);
  if (response.get("state") !== state) throw unknownAttempt();
  if ((await signInAttempts.take(secretHash, now)) === null) throw unknownAttempt();
  const identity = await ports.provider.complete(redirectUri, response, state, secret);
  return { user: await admit(ports, identity), returnTo };
}

/** A user code of the provider, while the page polls. */
export interface WaitingAttempt extends Pick<ProviderDeviceCode, "userCode" | "verificationUri" | "interval"> {
  readonly returnTo: string;
}

/** Starts a sign-in with the provider's device flow. Returns the secret for the browser's cookie. */
export async function beginDeviceCode(
  ports: Ports & { provider: DeviceCodeProvider },
  request: AttemptRequest,
): Promise<{ readonly browserSecret: string }> {
  await countSignIn(ports, request.address);
  const { expiresIn, ...code } = await ports.provider.begin();
  const lifetime = Math.min(expiresIn * SECOND, ATTEMPT_LIFETIME);
  const attempt: DeviceCodeAttempt = { ...code, returnTo: request.returnTo };
  return { browserSecret: await keepAttempt(ports, attempt, lifetime, ports.clock.now() + code.interval * SECOND) };
}

/** Polls the provider, no more often than it allows. */
export async function pollDeviceCode(
  ports: Ports & { provider: DeviceCodeProvider },
  browserSecret: string | null,
): Promise<WaitingAttempt | FinishedSignIn> {
  if (browserSecret === null) throw unknownAttempt();
  const now = ports.clock.now();
  const secretHash = ports.secrets.sha256(browserSecret);
  const kept = await ports.store.signInAttempts.find(secretHash, now);
  const { deviceCode, ...waiting } = await readAttempt<DeviceCodeAttempt>(browserSecret, kept?.sealed);
  const mayPoll = await ports.store.signInAttempts.claimPoll(secretHash, now, now + waiting.interval * SECOND);
  if (!mayPoll) return waiting;
  const poll = await ports.provider.poll(deviceCode);
  if (poll.outcome === "pending") {
    if (poll.interval === null || poll.interval <= waiting.interval) return waiting;
    // The provider increased the interval.
    const slower = { ...waiting, interval: poll.interval };
    const sealed = await seal(browserSecret, JSON.stringify({ ...slower, deviceCode }));
    await ports.store.signInAttempts.replace(secretHash, sealed, now + slower.interval * SECOND);
    return slower;
  }
  await ports.store.signInAttempts.take(secretHash, now);
  if (poll.outcome === "denied") throw new DomainError("forbidden", "sign-in was declined at the provider");
  if (poll.outcome === "expired") throw unknownAttempt();
  return { user: await admit(ports, poll.identity), returnTo: waiting.returnTo };
}

// --- internal ---

interface RedirectAttempt {
  readonly state: string;
  readonly secret: string;
  readonly returnTo: string;
}

interface DeviceCodeAttempt extends WaitingAttempt {
  readonly deviceCode: string;
}

function countSignIn(ports: Ports, address: string): Promise<void> {
  return takeFromLimit(ports, "signIn", addressSubject(address), ports.clock.now());
}

async function keepAttempt(
  ports: Ports,
  attempt: RedirectAttempt | DeviceCodeAttempt,
  lifetime: number,
  nextPollAt: number,
): Promise<string> {
  const browserSecret = newCode(ports.secrets);
  const secretHash = ports.secrets.sha256(browserSecret);
  const sealed = await seal(browserSecret, JSON.stringify(attempt));
  await ports.store.signInAttempts.add({ secretHash, sealed, expiresAt: ports.clock.now() + lifetime, nextPollAt });
  return browserSecret;
}

async function readAttempt<T>(browserSecret: string, sealed: string | undefined): Promise<T> {
  const text = sealed === undefined ? null : await unseal(browserSecret, sealed);
  if (text === null) throw unknownAttempt();
  return JSON.parse(text) as T;
}

function unknownAttempt(): DomainError {
  return new DomainError("invalid", "this sign-in is unknown, was used or has expired: sign in again");
}
