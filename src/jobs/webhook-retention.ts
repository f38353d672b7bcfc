import type { Store } from "../domain/ports/store.ts";
import type { Clock } from "../domain/ports/system.ts";
import { DAY, HOUR, MINUTE } from "../domain/timestamp.ts";
import { expiryJob } from "./expiry-job.ts";
import type { Job } from "./job.ts";

/** The retention of finished deliveries. */
const RETENTION_MS = 30 * DAY;

/** Returns the job that deletes old deliveries of webhooks. */
export function webhookRetentionJob({ webhooks }: Pick<Store, "webhooks">, clock: Clock): Job {
  return expiryJob({
    name: "webhook-retention",
    title: "Remove old webhook deliveries",
    every: HOUR,
    timeLimit: 5 * MINUTE,
    run: () => webhooks.deleteBefore(clock.now() - RETENTION_MS),
  });
}
