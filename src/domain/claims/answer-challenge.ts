import type { Store } from "../ports/store.ts";
import { CHALLENGE_PREFIX } from "./claim.ts";

const TOKEN = /^[a-z2-7]{32}$/;

/**
 * Returns what this server answers at a path below `/.well-known/vitrine/`, on every port and for every host; null,
 * which is a 404, unless a claim awaits that very path.
 */
export async function answerChallenge(store: Pick<Store, "claims">, path: string): Promise<string | null> {
  if (!path.startsWith(CHALLENGE_PREFIX)) return null;
  const token = path.slice(CHALLENGE_PREFIX.length);
  return TOKEN.test(token) ? store.claims.findChallengeAnswer(token) : null;
}
