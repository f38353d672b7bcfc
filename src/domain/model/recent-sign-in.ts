import { DomainError } from "../errors.ts";
import { MINUTE } from "../timestamp.ts";
import type { SessionCaller } from "./caller.ts";

/** The time after a sign-in in which dangerous actions are possible. */
const RECENT_SIGN_IN_MS = 15 * MINUTE;

/** For descriptions of those actions. */
export const NEEDS_RECENT_SIGN_IN = "Needs a sign-in of the last 15 minutes.";

/** Throws `forbidden` if the sign-in of the session is older than 15 minutes, or if the session began without one. */
export function requireRecentSignIn({ signedInAt }: SessionCaller, now: number): void {
  // A sign-in further ahead was recorded while the clock was wrong, and would stay recent until that time.
  if (signedInAt !== null && Math.abs(now - signedInAt) < RECENT_SIGN_IN_MS) return;
  throw new DomainError(
    "forbidden",
    "recent sign-in is required: confirm that it is you with POST /auth/confirm, or sign in again",
  );
}
