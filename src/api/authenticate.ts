import { Elysia } from "elysia";
import { type AuthenticatePorts, authenticate, unauthenticated } from "../domain/accounts/authenticate.ts";
import type { Caller } from "../domain/accounts/caller.ts";
import { DomainError } from "../domain/errors.ts";
import type { Throttle } from "../domain/ports/throttle.ts";
import { readJson } from "./body.ts";
import { cookieCaller } from "./browser.ts";
import type { Links } from "./links.ts";
import { isSafe, requireSameOrigin } from "./same-origin.ts";

type Ports = AuthenticatePorts & { readonly links: Links; readonly throttle: Throttle | null };

const callers = new WeakMap<Request, Promise<Caller>>();

/** Returns who makes the request; throws `unauthenticated`, `forbidden` where the account is frozen, or
 * `too_many_requests` where the credential is used more often than its rate allows. The credential is looked up once, however often it is asked. */
export function callerOf(ports: Ports, request: Request): Promise<Caller> {
  let caller = callers.get(request);
  if (!caller) {
    caller = findCaller(ports, request);
    if (ports.throttle) caller = throttled(ports.throttle, caller);
    callers.set(request, caller);
  }
  return caller;
}

async function throttled(throttle: Throttle, found: Promise<Caller>): Promise<Caller> {
  const caller = await found;
  const wait = throttle.take(caller.kind === "session" ? `session ${caller.sessionId}` : `token ${caller.tokenId}`);
  if (wait === 0) return caller;
  throw new DomainError("too_many_requests", "too many calls with this credential: slow down", {
    retryAfter: wait / 1000,
  });
}

/** Returns who makes a request that anybody may make; null for nobody, and for a credential that lets nobody in. */
export function callerIfAny(ports: Ports, request: Request): Promise<Caller | null> {
  return callerOf(ports, request).catch((error) => {
    const nobody = error instanceof DomainError && (error.kind === "unauthenticated" || error.kind === "forbidden");
    if (nobody) return null;
    throw error;
  });
}

/** Returns who made a request that was let in; null where nobody had to be known. Never throws. */
export async function knownCallerOf(request: Request): Promise<Caller | null> {
  return (await callers.get(request)?.catch(() => null)) ?? null;
}

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

/**
 * Routes below this plugin know their `caller`. The order of judgement is the contract's: the credential before the
 * body is read, and both before anything is validated.
 */
export function authenticated(ports: Ports) {
  return new Elysia({ name: "authenticated" })
    .onParse({ as: "scoped" }, async ({ request }) => {
      await callerOf(ports, request);
      return readJson(request);
    })
    .derive({ as: "scoped" }, async ({ request }) => ({ caller: await callerOf(ports, request) }));
}
