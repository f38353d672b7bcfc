import type { Attempt, PendingCode, RedeemRefusal } from "../model/agent.ts";
import { DAY, HOUR, SECOND } from "../timestamp.ts";

export const CODE_LIFETIME = 60 * SECOND;
const ACCESS_TOKEN_LIFETIME = HOUR;
/** After the last refresh. */
export const AGENT_IDLE_LIMIT = 30 * DAY;

/** Decides whether an attempt redeems a code; null if it does. */
export function judgeCode(code: PendingCode, attempt: Attempt): RedeemRefusal | null {
  if (attempt.now >= code.expiresAt) return "unknown";
  const { clientId, redirectUri, challenge } = code;
  const fits = attempt.clientId === clientId && attempt.redirectUri === redirectUri && attempt.challenge === challenge;
  if (!fits) return "mismatch";
  return attempt.resource === null || attempt.resource === code.resource ? null : "wrong_resource";
}

/** Returns when an access token expires: never after its session. */
export function accessTokenEnd(now: number, { expiresAt }: { readonly expiresAt: number }): number {
  return Math.min(now + ACCESS_TOKEN_LIFETIME, expiresAt);
}
