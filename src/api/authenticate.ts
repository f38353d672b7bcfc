import { type AuthenticatePorts, authenticate, unauthenticated } from "../domain/accounts/authenticate.ts";
import { DomainError } from "../domain/errors.ts";
import { type Caller, credentialId } from "../domain/model/caller.ts";
import type { Throttle } from "../domain/ports/system.ts";
import { cookieCaller } from "./browser.ts";
import { isSafe, requireSameOrigin } from "./same-origin.ts";
import type { Links } from "./schemas/links.ts";

type Ports = AuthenticatePorts & { readonly links: Links; readonly throttle: Throttle | null };

/**
 * Returns the caller of a request. Throws `unauthenticated`, `forbidden` if the account is frozen, or
 * `too_many_requests` if the credential exceeds its rate limit.
 */
export async function callerOf(ports: Ports, request: Request): Promise<Caller> {
  const caller = await findCaller(ports, request);
  throttleCaller(ports, caller);
  return caller;
}

/** Returns the caller of a public route; null without a credential, and for one that is invalid or frozen. */
export function callerIfAny(ports: Ports, request: Request): Promise<Caller | null> {
  return callerOf(ports, request).catch((error) => {
    const nobody = error instanceof DomainError && (error.kind === "unauthenticated" || error.kind === "forbidden");
    if (nobody) return null;
    throw error;
  });
}

/** Throws `too_many_requests` if the credential of a caller exceeds its rate limit. */
export function throttleCaller({ throttle }: Pick<Ports, "throttle">, caller: Caller): void {
  const wait = throttle?.take(credentialId(caller)) ?? 0;
  if (wait === 0) return;
  throw new DomainError("too_many_requests", "too many calls with this credential: slow down", {
    retryAfter: wait / 1000,
  });
}

/** Returns the credential in the `Authorization` header. Throws `unauthenticated` if there is none. */
export function bearerOf({ headers }: Request): string {
  const [, secret] = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (secret === undefined) throw noCredential();
  return secret;
}

// --- internal ---

/**
 * Uses the token of the `Authorization` header, or the dashboard's cookie if there is no such header. A cookie may change
 * something only in a request from one of the server's own pages.
 */
async function findCaller(ports: Ports, request: Request): Promise<Caller> {
  return request.headers.has("authorization")
    ? authenticate(ports, bearerOf(request))
    : findCookieCaller(ports, request);
}

async function findCookieCaller(ports: Ports, request: Request): Promise<Caller> {
  const caller = await cookieCaller(ports, request);
  if (caller === null) throw noCredential();
  if (!isSafe(request.method)) requireSameOrigin(request, ports.links.base);
  return caller;
}

function noCredential(): DomainError {
  return unauthenticated("send Authorization: Bearer <token>");
}
