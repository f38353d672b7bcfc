import { dropOldEntries } from "../domain/audit/audit.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import { HOUR, MINUTE } from "../domain/timestamp.ts";
import { expiryJob } from "./expiry-job.ts";
import { type Job, pauseUntilAborted } from "./job.ts";

interface AuditJobPorts {
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
  readonly log: Log;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
}

/** Returns the job that deletes audit entries that are older than `days`. */
export function auditJob(ports: AuditJobPorts, days: number): Job {
  return expiryJob({
    name: "audit",
    title: "Remove old audit entries",
    every: HOUR,
    timeLimit: 10 * MINUTE,
    async run({ signal }) {
      const dropped = await dropOldEntries(ports, days, pauseUntilAborted(ports.pause, signal));
      if (dropped > 0) ports.log.info("audit entries dropped for their age", { entries: dropped });
    },
  });
}
