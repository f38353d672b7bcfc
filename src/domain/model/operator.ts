import { DomainError } from "../errors.ts";
import type { Caller, SessionCaller } from "./caller.ts";
import { requireRecentSignIn } from "./recent-sign-in.ts";

/** Returns the caller if they are an operator. Throws `forbidden` for everybody else, before any other check. */
export function requireOperator(caller: Caller): SessionCaller {
  if (caller.kind === "session" && caller.user.operator) return caller;
  throw new DomainError("forbidden", "operator permission is required: ask an operator of this server");
}

/** Like `requireOperator`, for dangerous actions: also throws `forbidden` if the sign-in is older than 15 minutes. */
export function requireRecentOperator(caller: Caller, now: number): SessionCaller {
  const operator = requireOperator(caller);
  requireRecentSignIn(operator, now);
  return operator;
}

/** The error for a change that would leave the server without an operator. */
export function lastOperator(login: string): DomainError {
  return new DomainError("conflict", `${login} is the last operator who is not frozen: make somebody else one first`);
}
