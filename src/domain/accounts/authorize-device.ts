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

/** Starts a device authorization (RFC 8628 section 3.1) and returns its codes, which are not stored in plain text. */
export async function startDeviceAuthorization(
  ports: Ports,
  request: { readonly clientName: string; readonly address: string },
): Promise<{ readonly deviceCode: string; readonly userCode: string }> {
  const { store, clock, secrets, rates } = ports;
  const createdAt = clock.now();
  const subject = addressSubject(request.address);
  await takeFromLimit(store.rateLimits, RATE_LIMITS.device, rates.device, subject, createdAt);
  const deviceCode = newCode(secrets);
  // With a million pending codes, one in 25,000 million attempts collides, so that one retry is enough.
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
      /** Milliseconds until the unused token expires. */
      readonly lifetime: number;
    };

/** Answers a device's poll. After the approval, the first poll redeems the code for a session token. */
export async function pollDeviceAuthorization(ports: Ports, deviceCode: string): Promise<PollResult> {
  const { store, clock, secrets } = ports;
  const answer = await store.deviceCodes.poll(secrets.sha256(deviceCode), clock.now());
  if (typeof answer === "string") return { error: answer };
  const user = await store.users.find(answer.userId);
  // The code is deleted with the account, so that the user is missing only in a race with the deletion.
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
 * Returns the pending authorization of a user code. Throws `not_found` for a wrong,
 * expired or used code, always with the same message, and `too_many_requests` after too many of them from one address.
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

/** Records the approval or denial of a device. The device learns of it with its next poll. */
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
