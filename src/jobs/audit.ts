import { dropOldEntries } from "../domain/audit/audit.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import { HOUR, MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

interface AuditJobPorts {
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when whatever else waits had its turn. */
  readonly pause: () => Promise<void>;
}

/** Returns the job that drops audit entries for their age; none where they are kept for ever. */
export function auditJobs(ports: AuditJobPorts, days: number | null): Job[] {
  if (days === null) return [];
  return [
    {
      name: "audit",
      scope: "cluster",
      every: HOUR,
      timeLimit: 10 * MINUTE,
      async run({ signal, clockTrusted }) {
        if (!clockTrusted) return;
        const pause = async () => {
          await ports.pause();
          signal.throwIfAborted();
        };
        const dropped = await dropOldEntries(ports, days, pause);
        if (dropped > 0) ports.log.info("audit entries dropped for their age", { entries: dropped });
      },
    },
  ];
}
