import { DomainError } from "../errors.ts";
import { MINUTE } from "../timestamp.ts";
import type { Caller, SessionCaller } from "./caller.ts";

/** The time after a sign-in in which an operator may perform dangerous actions. */
const RECENT_SIGN_IN_MS = 15 * MINUTE;

/** Returns the caller if they are an operator. Throws `forbidden` for everybody else, before any other check. */
export function requireOperator(caller: Caller): SessionCaller {
  if (caller.kind === "session" && caller.user.operator) return caller;
  throw new DomainError("forbidden", "operator permission is required: ask an operator of this server");
}

/** Like `requireOperator`, for dangerous actions: also throws `forbidden` if the sign-in is older than 15 minutes. */
export function requireRecentOperator(caller: Caller, now: number): SessionCaller {
  const operator = requireOperator(caller);
  // A sign-in further ahead was recorded while the clock was wrong, and would stay recent until that time.
  if (operator.signedInAt !== null && Math.abs(now - operator.signedInAt) < RECENT_SIGN_IN_MS) return operator;
  throw new DomainError(
    "forbidden",
    "recent sign-in is required: confirm your password with POST /auth/confirm, or sign in again",
  );
}

/** The error for a change that would leave the server without an operator. */
export function lastOperator(login: string): DomainError {
  return new DomainError("conflict", `${login} is the last operator who is not frozen: make somebody else one first`);
}
