import { checkUnderLease } from "../domain/claims/check.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import { applyEvent, removeRoute } from "../domain/claims/reconcile.ts";
import { MAX_INTERVAL } from "../domain/claims/schedule.ts";
import type { Log } from "../domain/ports/log.ts";
import type { ClaimStore } from "../domain/ports/store/claims.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { eachOf, type Job, type JobRun } from "./job.ts";

/** Claims per run, and concurrent checks. Checks mostly wait for the network, so sixteen cost little. */
const BATCH = 500;
const CONCURRENCY = 16;

/** Delay after an internal error in a check or removal. No removal is planned further ahead. */
const RETRY_DELAY_MS = 5 * MINUTE;

/** The jobs for claims: checks, removals and expiry. */
export function claimJobs(unpaced: ClaimPorts, log: Log): Job[] {
  const ports = { ...unpaced, store: { ...unpaced.store, claims: paced(unpaced.store.claims) } };
  const { store, clock } = ports;
  const forEach = (what: string, ids: readonly number[], { signal }: JobRun, work: (id: number) => Promise<unknown>) =>
    eachOf(
      ids,
      CONCURRENCY,
      signal,
      async (id) => void (await work(id)),
      async (id, error) => {
        log.error(`${what} ${id} failed`, error);
        await store.claims.postpone(id, clock.now() + RETRY_DELAY_MS);
      },
    );

  return [
    {
      name: "claim-checks",
      scope: "cluster",
      every: SECOND,
      timeLimit: 15 * MINUTE,
      async run(run) {
        const due = await store.claims.listDue(clock.now(), clock.now() + MAX_INTERVAL, BATCH);
        const options = { clockTrusted: run.clockTrusted, stop: run.signal };
        await forEach("the check of claim", due, run, (id) => checkUnderLease(ports, id, options));
      },
    },
    {
      name: "claim-removals",
      scope: "cluster",
      every: SECOND,
      timeLimit: 5 * MINUTE,
      async run(run) {
        const due = await store.claims.listRemovals(clock.now(), clock.now() + RETRY_DELAY_MS, BATCH);
        await forEach("the removal of claim", due, run, (id) => removeRoute(ports, id));
      },
    },
    {
      name: "claim-expiry",
      scope: "cluster",
      every: 5 * SECOND,
      timeLimit: 5 * MINUTE,
      async run(run) {
        if (!run.clockTrusted) return;
        const expired = await store.claims.listExpired(clock.now(), BATCH);
        await forEach("the expiry of claim", expired, run, (id) => applyEvent(ports, id, { kind: "expiry_due" }));
      },
    },
  ];
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
