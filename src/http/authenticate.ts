import { Elysia } from "elysia";
import { type AuthenticatePorts, authenticate, refuse } from "../domain/sign-in/authenticate.ts";
import type { Caller } from "../domain/sign-in/caller.ts";
import { readJson } from "./body.ts";

const callers = new WeakMap<Request, Promise<Caller>>();

/** Returns who makes the request; throws `unauthenticated`. The credential is looked up once, however often it is asked. */
export function callerOf(ports: AuthenticatePorts, request: Request): Promise<Caller> {
  let caller = callers.get(request);
  if (!caller) {
    caller = findCaller(ports, request);
    callers.set(request, caller);
  }
  return caller;
}

async function findCaller(ports: AuthenticatePorts, request: Request): Promise<Caller> {
  const header = request.headers.get("authorization");
  if (header === null) return refuse("send Authorization: Bearer <token>");
  const [, secret] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  return secret === undefined ? refuse("send Authorization: Bearer <token>") : authenticate(ports, secret);
}

/**
 * Routes below this plugin know their `caller`. The order of judgement is the contract's: the credential before the
 * body is read, and both before anything is validated.
 */
export function authenticated(ports: AuthenticatePorts) {
  return new Elysia({ name: "authenticated" })
    .onParse({ as: "scoped" }, async ({ request }) => {
      await callerOf(ports, request);
      return request.body ? readJson(request) : undefined;
    })
    .derive({ as: "scoped" }, async ({ request }) => ({ caller: await callerOf(ports, request) }));
}
