import { DomainError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Store } from "../ports/store.ts";
import { addressSubject, checkLimit, RATE_LIMITS, type Rates, takeFromLimit } from "../rate-limit.ts";
import type { SessionCaller } from "./caller.ts";
import {
  DEVICE_CODE_LIFETIME,
  type DeviceAuthorization,
  newUserCode,
  POLL_INTERVAL,
  type PollError,
  readUserCode,
} from "./device-authorization.ts";
import { newCode } from "./sealed.ts";
import { startSession } from "./sessions.ts";
import type { User } from "./user.ts";

interface Ports {
  readonly store: Pick<Store, "deviceCodes" | "rateLimits" | "sessions" | "users">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Pick<Rates, "device" | "userCode">;
}

/** Starts a device authorization (RFC 8628 section 3.1) and returns its codes, which are never to be had again. */
export async function startDeviceAuthorization(
  ports: Ports,
  request: { readonly clientName: string; readonly address: string },
): Promise<{ readonly deviceCode: string; readonly userCode: string }> {
  const { store, clock, secrets, rates } = ports;
  const createdAt = clock.now();
  const subject = addressSubject(request.address);
  await takeFromLimit(store.rateLimits, RATE_LIMITS.device, rates.device, subject, createdAt);
  const deviceCode = newCode(secrets);
  // One in 25 thousand million is taken while a million wait; the second try settles it.
  for (;;) {
    const userCode = newUserCode(secrets);
    const added = await store.deviceCodes.add({
      ...request,
      deviceCodeHash: secrets.sha256(deviceCode),
      userCodeHash: secrets.sha256(userCode),
      createdAt,
      expiresAt: createdAt + DEVICE_CODE_LIFETIME,
      interval: POLL_INTERVAL,
    });
    if (added) return { deviceCode, userCode };
  }
}

type PollResult =
  | { readonly error: PollError }
  | {
      readonly token: string;
      readonly user: User;
      /** Milliseconds until the token ends unless it is used. */
      readonly lifetime: number;
    };

/** Answers a device's poll. Once approved, the first poll redeems the code for a session token; no other ever does. */
export async function pollDeviceAuthorization(ports: Ports, deviceCode: string): Promise<PollResult> {
  const { store, clock, secrets } = ports;
  const answer = await store.deviceCodes.poll(secrets.sha256(deviceCode), clock.now());
  if (typeof answer === "string") return { error: answer };
  const user = await store.users.find(answer.userId);
  // The code goes with the account: nobody is found in the instant between the two alone.
  if (user === null || user.frozen) return { error: "access_denied" };
  const { clientName, address } = answer.approved;
  const proof = { deviceCodeId: answer.approved.id };
  try {
    const { token, session } = await startSession(ports, { userId: user.id, clientName, address, proof });
    return { token, user, lifetime: session.idleLimit };
  } catch (error) {
    if (error instanceof DomainError && error.kind === "unauthenticated") return { error: "access_denied" };
    throw error;
  }
}

/**
 * Returns the authorization that a person typed the code of, while it waits for a verdict. `not_found` for a wrong,
 * old or used code, all in the same words; `too_many_requests` after too many of them from one address.
 */
export async function findDeviceAuthorization(
  ports: Ports,
  typed: string,
  address: string,
): Promise<{ readonly userCode: string; readonly authorization: DeviceAuthorization }> {
  const { store, clock, secrets, rates } = ports;
  const now = clock.now();
  const subject = addressSubject(address);
  await checkLimit(store.rateLimits, RATE_LIMITS.userCode, rates.userCode, subject, now);
  const userCode = readUserCode(typed);
  const found = userCode && (await store.deviceCodes.findByUserCode(secrets.sha256(userCode)));
  if (userCode && found && found.verdict === "pending" && now < found.expiresAt) {
    return { userCode, authorization: found };
  }
  await takeFromLimit(store.rateLimits, RATE_LIMITS.userCode, rates.userCode, subject, now);
  throw codeUnknown();
}

/** Records a person's verdict on the device that shows the code; the device learns of it with its next poll. */
export async function resolveDeviceAuthorization(
  ports: Ports,
  caller: SessionCaller,
  request: { readonly userCode: string; readonly verdict: "approved" | "denied"; readonly address: string },
): Promise<DeviceAuthorization> {
  const { authorization } = await findDeviceAuthorization(ports, request.userCode, request.address);
  const now = ports.clock.now();
  const resolved = await ports.store.deviceCodes.resolve(authorization.id, request.verdict, caller.sessionId, now);
  if (!resolved) throw codeUnknown();
  return authorization;
}

function codeUnknown(): DomainError {
  return new DomainError("not_found", "This code is wrong, was used or has expired. Check it on your device.");
}
