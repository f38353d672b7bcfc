import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Session } from "../ports/store/sessions.ts";
import type { Store } from "../ports/store.ts";
import { DAY } from "../timestamp.ts";
import { newSecret } from "../tokens/secret.ts";

/** A session ends 30 days after its last use, and 90 days after sign-in whatever happens. */
export const SESSION_IDLE_LIMIT = 30 * DAY;
export const SESSION_LIFETIME = 90 * DAY;

/**
 * Starts a session and returns it with its token, which is never to be had again.
 * `lifetime` in milliseconds is for tokens printed by the operator; it bounds both limits.
 */
export async function startSession(
  ports: { readonly store: Pick<Store, "sessions">; readonly clock: Clock; readonly secrets: Secrets },
  session: { userId: number; clientName: string; address: string | null; lifetime?: number },
): Promise<{ token: string; session: Session }> {
  const token = newSecret(ports.secrets, "vts");
  const createdAt = ports.clock.now();
  const lifetime = session.lifetime ?? SESSION_LIFETIME;
  const stored = await ports.store.sessions.add({
    userId: session.userId,
    tokenHash: ports.secrets.sha256(token),
    createdAt,
    expiresAt: createdAt + lifetime,
    idleLimit: Math.min(session.lifetime ?? SESSION_IDLE_LIMIT, lifetime),
    clientName: session.clientName,
    address: session.address,
  });
  return { token, session: stored };
}
