import { HISTORY_MS, MAX_EVENTS } from "../domain/events/history.ts";
import type { Store } from "../domain/ports/store.ts";
import { MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Returns the job that deletes old events of event streams. It uses ages, so a clock that jumps costs only a reset. */
export function liveEventJob(store: Pick<Store, "liveEvents">): Job {
  return {
    name: "live-events",
    title: "Remove old events",
    scope: "cluster",
    every: MINUTE,
    timeLimit: MINUTE,
    async run() {
      await store.liveEvents.deleteOld(HISTORY_MS, MAX_EVENTS);
    },
  };
}
