import { DomainError } from "../errors.ts";
import type { SessionLimit } from "../model/scope.ts";
import type { Session, SignInProof } from "../ports/store/sessions.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";
import { newSecret } from "../tokens/secret.ts";

/** A session expires 30 days after its last use, and at the latest 90 days after sign-in. */
export const SESSION_IDLE_LIMIT = 30 * DAY;
export const SESSION_LIFETIME = 90 * DAY;

/**
 * Starts a session and returns it with its token, which is not stored in plain text.
 * `lifetime` in milliseconds bounds both limits of time. `signedIn` says that the user has just authenticated. `limit`
 * is all that the session may do, if that is less than its account may. Throws `unauthenticated` if the user was removed
 * meanwhile, or their password was changed.
 */
export async function startSession(
  ports: { readonly store: Pick<Store, "sessions">; readonly clock: Clock; readonly secrets: Secrets },
  session: {
    userId: number;
    clientName: string;
    address: string | null;
    signedIn?: boolean;
    lifetime?: number;
    proof?: SignInProof | undefined;
    limit?: SessionLimit | null;
  },
): Promise<{ token: string; session: Session }> {
  const token = newSecret(ports.secrets, "vts");
  const createdAt = ports.clock.now();
  const lifetime = session.lifetime ?? SESSION_LIFETIME;
  const added = {
    userId: session.userId,
    tokenHash: ports.secrets.sha256(token),
    createdAt,
    expiresAt: createdAt + lifetime,
    idleLimit: Math.min(session.lifetime ?? SESSION_IDLE_LIMIT, lifetime),
    clientName: session.clientName,
    address: session.address,
    signedInAt: session.signedIn === true ? createdAt : null,
    limit: session.limit ?? null,
  };
  const stored = await ports.store.sessions.add(added, session.proof);
  if (stored !== null) return { token, session: stored };
  throw new DomainError("unauthenticated", "the account or its password was changed meanwhile: sign in again");
}
