import { type AuthenticatePorts, authenticate, unauthenticated } from "../domain/accounts/authenticate.ts";
import type { Caller } from "../domain/accounts/caller.ts";
import { DomainError } from "../domain/errors.ts";
import type { Throttle } from "../domain/ports/throttle.ts";
import { cookieCaller } from "./browser.ts";
import type { Links } from "./links.ts";
import { isSafe, requireSameOrigin } from "./same-origin.ts";

type Ports = AuthenticatePorts & { readonly links: Links; readonly throttle: Throttle | null };

/**
 * Returns who makes the request; throws `unauthenticated`, `forbidden` where the account is frozen, or
 * `too_many_requests` where the credential is used more often than its rate allows.
 */
export async function callerOf(ports: Ports, request: Request): Promise<Caller> {
  const caller = await findCaller(ports, request);
  if (ports.throttle) throttle(ports.throttle, caller);
  return caller;
}

/** Returns who makes a request that anybody may make; null for nobody, and for a credential that lets nobody in. */
export function callerIfAny(ports: Ports, request: Request): Promise<Caller | null> {
  return callerOf(ports, request).catch((error) => {
    const nobody = error instanceof DomainError && (error.kind === "unauthenticated" || error.kind === "forbidden");
    if (nobody) return null;
    throw error;
  });
}

// --- internal ---

/**
 * A token in the header, or else the dashboard's cookie. A header that is there decides alone; a cookie may only change
 * something for a page of our own.
 */
async function findCaller(ports: Ports, request: Request): Promise<Caller> {
  const header = request.headers.get("authorization");
  if (header === null) return findCookieCaller(ports, request);
  const [, secret] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  if (secret === undefined) throw unauthenticated("send Authorization: Bearer <token>");
  return authenticate(ports, secret);
}

async function findCookieCaller(ports: Ports, request: Request): Promise<Caller> {
  const caller = await cookieCaller(ports, request);
  if (caller === null) throw unauthenticated("send Authorization: Bearer <token>");
  if (!isSafe(request.method)) requireSameOrigin(request, ports.links.base);
  return caller;
}

function throttle(throttle: Throttle, caller: Caller): void {
  const wait = throttle.take(caller.kind === "session" ? `session ${caller.sessionId}` : `token ${caller.tokenId}`);
  if (wait === 0) return;
  throw new DomainError("too_many_requests", "too many calls with this credential: slow down", {
    retryAfter: wait / 1000,
  });
}
