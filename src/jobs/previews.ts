import { EXPIRED_FOR } from "../domain/model/preview.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock } from "../domain/ports/system.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { expiryJob } from "./expiry-job.ts";
import type { Job } from "./job.ts";

/** Previews deleted in one transaction: a deployment may have 50,000 files. */
const BATCH = 10;

/** Returns the job that removes expired previews and aliases. */
export function previewsJob({
  store: { previews },
  clock,
}: {
  readonly store: Pick<Store, "previews">;
  readonly clock: Clock;
}): Job {
  return expiryJob({
    name: "previews",
    title: "Remove expired previews",
    every: 15 * SECOND,
    timeLimit: 10 * MINUTE,
    async run({ signal }) {
      const now = clock.now();
      while ((await previews.expire(now, BATCH)) > 0) signal.throwIfAborted();
      await previews.deleteExpired(now - EXPIRED_FOR);
    },
  });
}
