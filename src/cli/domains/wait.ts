import { ApiError } from "../client/api-error.ts";
import { type ApiClient, path } from "../client/client.ts";
import type { DomainClaim } from "../client/types.ts";
import { Failure } from "../errors.ts";

/** DNS records take minutes to spread; asking more often would tell nothing new. */
const CHECK_PAUSE = 10_000;

/**
 * Asks the server to check a claim again and again until it is connected; `onStep` hears a sentence whenever
 * something changed. Rejects when the claim has ended. What the server cannot look up now, it may in a moment.
 */
export async function waitUntilConnected(
  client: ApiClient,
  site: string,
  claim: DomainClaim,
  onStep: (sentence: string) => void,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<DomainClaim> {
  let told = "";
  for (;;) {
    const now = await check(client, site, claim.id);
    if (now?.status === "expired" || now?.status === "cancelled") {
      throw new Failure(
        `The claim of ${claim.hostname} ${now.status === "expired" ? "has expired" : "was cancelled"}.`,
        `Add it again: vitrine domains add ${site} ${claim.hostname}`,
      );
    }
    if (now?.connection_status === "connected") return now;
    const sentence = now ? sentenceOf(now) : told;
    if (sentence !== told) onStep(sentence);
    told = sentence;
    await sleep(CHECK_PAUSE);
  }
}

async function check(client: ApiClient, site: string, id: number): Promise<DomainClaim | null> {
  try {
    return await client.post<DomainClaim>(path`/sites/${site}/domains/${id}/check`);
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 503) return null;
    throw error;
  }
}

function sentenceOf(claim: DomainClaim): string {
  const { transition_error, activation_error, route_error, last_error } = claim;
  const reason = transition_error ?? activation_error ?? route_error ?? last_error;
  return `${claim.connection_status.replaceAll("_", " ")}${reason ? `: ${reason}` : ""}`;
}
