import { DomainError } from "../errors.ts";
import { addressSubject, type Rates, refundLimit, takeFromLimit } from "../limits/rate-limit.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { DeviceAuthorization, PollError } from "../model/device.ts";
import { FULL_ACCESS, formatScope, parseScope, type RequestedScope, scopeOf } from "../model/scope.ts";
import type { User } from "../model/user.ts";
import type { DeviceVerdict } from "../ports/store/device-codes.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { type ConsentChoices, consentChoices } from "./consent.ts";
import { DEVICE_CODE_LIFETIME, newUserCode, POLL_INTERVAL_SECONDS, readUserCode } from "./device-authorization.ts";
import { newCode } from "./sealed.ts";
import { startSession } from "./sessions.ts";

interface Ports {
  readonly store: Pick<Store, "deviceCodes" | "rateLimits" | "sessions" | "users">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Pick<Rates, "device" | "userCode">;
}

interface DeviceRequest {
  readonly clientName: string;
  readonly address: string;
  /** Null where the device names none. */
  readonly scope: RequestedScope | null;
}

/** Starts a device authorization (RFC 8628 section 3.1) and returns its codes, which are not stored in plain text. */
export async function startDeviceAuthorization(
  ports: Ports,
  { scope, ...request }: DeviceRequest,
): Promise<{ readonly deviceCode: string; readonly userCode: string }> {
  const { store, clock, secrets } = ports;
  const createdAt = clock.now();
  await takeFromLimit(ports, "device", addressSubject(request.address), createdAt);
  const deviceCode = newCode(secrets);
  // With a million pending codes, one in 25,000 million attempts collides, so that one retry is enough.
  for (;;) {
    const userCode = newUserCode(secrets);
    const added = await store.deviceCodes.add({
      ...request,
      scope: scope && formatScope(scope),
      deviceCodeHash: secrets.sha256(deviceCode),
      userCodeHash: secrets.sha256(userCode),
      createdAt,
      expiresAt: createdAt + DEVICE_CODE_LIFETIME,
      interval: POLL_INTERVAL_SECONDS,
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
      /** The granted scope; null if the device requested none and got full access. */
      readonly scope: string | null;
    };

/** Responds to a device's poll. After the approval, the first poll redeems the code for a session token. */
export async function pollDeviceAuthorization(ports: Ports, deviceCode: string): Promise<PollResult> {
  const { store, clock, secrets } = ports;
  const response = await store.deviceCodes.poll(secrets.sha256(deviceCode), clock.now());
  if (typeof response === "string") return { error: response };
  const user = await store.users.find(response.userId);
  // The code is deleted with the account, so that the user is missing only in a race with the deletion.
  if (user === null || user.frozen) return { error: "access_denied" };
  const { id: deviceCodeId, clientName, address, granted, scope: requested } = response.approved;
  const grant = { limit: granted?.limit ?? null, ...(granted?.lifetime ? { lifetime: granted.lifetime } : {}) };
  const proof = { deviceCodeId };
  try {
    const { token, session } = await startSession(ports, { userId: user.id, clientName, address, proof, ...grant });
    const scope = grant.limit ? scopeOf(grant.limit) : requested && formatScope(FULL_ACCESS);
    return { token, user, lifetime: session.idleLimit, scope };
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
  const { store, clock, secrets } = ports;
  const now = clock.now();
  const subject = addressSubject(address);
  // Counted before the check, so that concurrent attempts are limited as well. A successful one is refunded.
  await takeFromLimit(ports, "userCode", subject, now);
  const userCode = readUserCode(typed);
  const found = userCode && (await store.deviceCodes.findByUserCode(secrets.sha256(userCode)));
  const isPending = found && found.verdict === "pending" && now < found.expiresAt;
  if (!userCode || !isPending) throw codeUnknown();
  await refundLimit(store.rateLimits, "userCode", subject, now);
  return { userCode, authorization: found };
}

/** Returns what the person can choose from when they approve the device. */
export async function choicesFor(
  { store }: { readonly store: Pick<Store, "sites"> },
  { user, at }: SessionCaller,
  { scope }: DeviceAuthorization,
): Promise<ConsentChoices> {
  return consentChoices(scope === null ? null : parseScope(scope), await store.sites.listOfMember(user.id, at));
}

/** Records a person's verdict about a device, which learns of it with its next poll. Throws `not_found` if it is too late. */
export async function resolveDevice(
  { store, clock }: Pick<Ports, "store" | "clock">,
  { sessionId }: SessionCaller,
  { id }: DeviceAuthorization,
  verdict: DeviceVerdict,
): Promise<void> {
  if (!(await store.deviceCodes.resolve(id, verdict, sessionId, clock.now()))) throw codeUnknown();
}

function codeUnknown(): DomainError {
  return new DomainError("not_found", "this code is wrong, was used or has expired: check it on your device");
}
