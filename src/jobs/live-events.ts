import { HISTORY_MS, MAX_EVENTS } from "../domain/events/history.ts";
import type { Store } from "../domain/ports/store.ts";
import { MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Returns the job that drops what event streams need no longer. The log has ages of its own: a clock that jumps costs a reset. */
export function liveEventJob(store: Pick<Store, "liveEvents">): Job {
  return {
    name: "live-events",
    scope: "cluster",
    every: MINUTE,
    timeLimit: MINUTE,
    async run() {
      await store.liveEvents.drop(HISTORY_MS, MAX_EVENTS);
    },
  };
}
