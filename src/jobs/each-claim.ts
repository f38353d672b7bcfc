import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import type { ClaimStore } from "../domain/ports/store/claims.ts";
import type { Log } from "../domain/ports/system.ts";
import { MINUTE } from "../domain/timestamp.ts";
import { eachOf, type JobRun } from "./job.ts";

/** Claims per run, and concurrent checks. Checks mostly wait for the network, so sixteen cost little. */
export const CLAIM_BATCH = 500;
const CONCURRENCY = 16;

/** Delay after an internal error in a check or removal. No removal is planned further ahead. */
export const CLAIM_RETRY_DELAY_MS = 5 * MINUTE;

export interface ClaimJobPorts extends ClaimPorts {
  readonly log: Log;
}

/** Returns the ports with writes that are spread over turns of the event loop, for all of these jobs together. */
export function claimJobPorts(ports: ClaimPorts, log: Log): ClaimJobPorts {
  return { ...ports, store: { ...ports.store, claims: paced(ports.store.claims) }, log };
}

/** Does the work for each claim. After an error, which is logged with `what`, the claim's next check is postponed. */
export function eachClaim(
  { store, clock, log }: ClaimJobPorts,
  what: string,
  ids: readonly number[],
  { signal }: JobRun,
  work: (id: number) => Promise<unknown>,
): Promise<void> {
  return eachOf(
    ids,
    CONCURRENCY,
    signal,
    async (id) => void (await work(id)),
    async (id, error) => {
      log.error(`${what} ${id} failed`, error);
      await store.claims.postpone(id, clock.now() + CLAIM_RETRY_DELAY_MS);
    },
  );
}

// --- internal ---

function paced(claims: ClaimStore): ClaimStore {
  const inTurn = oneAtATurn();
  return {
    ...claims,
    save: (changed, at) => inTurn(() => claims.save(changed, at)),
    takeCheck: (id, turn) => inTurn(() => claims.takeCheck(id, turn)),
    releaseCheck: (id, turn) => inTurn(() => claims.releaseCheck(id, turn)),
    postpone: (id, at) => inTurn(() => claims.postpone(id, at)),
  };
}

/**
 * Returns a queue that runs one task per turn of the event loop. A durable write blocks its thread
 * for some milliseconds, and a burst of writes in one turn would delay everything else on that thread.
 */
function oneAtATurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(nextTurn).then(work);
    last = result.catch(() => {});
    return result;
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
