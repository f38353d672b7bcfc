import { checkInTurn } from "../domain/claims/check.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import { applyEvent, removeRoute } from "../domain/claims/reconcile.ts";
import { MAX_INTERVAL } from "../domain/claims/schedule.ts";
import type { Log } from "../domain/ports/log.ts";
import type { ClaimStore } from "../domain/ports/store/claims.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { eachOf, type Job, type JobRun } from "./job.ts";
import { oneAtATurn } from "./one-at-a-turn.ts";

/** Claims taken up in one run, and how many of them are looked at side by side: enough to wait, too few to be felt. */
const BATCH = 500;
const SIDE_BY_SIDE = 16;

/** How long a claim rests whose check or removal failed because of ourselves; no removal is planned further ahead. */
const REST = 5 * MINUTE;

/** The jobs that look after claims: checks and re-verification, expiry, removal. */
export function claimJobs(unpaced: ClaimPorts, log: Log): Job[] {
  const ports = { ...unpaced, store: { ...unpaced.store, claims: paced(unpaced.store.claims) } };
  const { store, clock } = ports;
  const forEach = (what: string, ids: readonly number[], { signal }: JobRun, work: (id: number) => Promise<unknown>) =>
    eachOf(
      ids,
      SIDE_BY_SIDE,
      signal,
      async (id) => void (await work(id)),
      async (id, error) => {
        log.error(`${what} ${id} failed`, error);
        await store.claims.postpone(id, clock.now() + REST);
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
        await forEach("the check of claim", due, run, (id) => checkInTurn(ports, id, options));
      },
    },
    {
      name: "claim-removals",
      scope: "cluster",
      every: SECOND,
      timeLimit: 5 * MINUTE,
      async run(run) {
        const due = await store.claims.listRemovals(clock.now(), clock.now() + REST, BATCH);
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
    giveBackCheck: (id, turn) => inTurn(() => claims.giveBackCheck(id, turn)),
    postpone: (id, at) => inTurn(() => claims.postpone(id, at)),
  };
}
