import type { Log } from "../domain/ports/system.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Returns the job that removes deleted content from the disk cache. Each node has one of its own. */
export function diskCacheJob(dropDeleted: () => Promise<number>, log: Log): Job {
  return {
    name: "disk-cache",
    title: "Remove deleted content from the disk cache",
    scope: "node",
    every: 30 * SECOND,
    timeLimit: MINUTE,
    async run() {
      const objects = await dropDeleted();
      if (objects > 0) log.info("deleted objects were removed from the disk cache", { objects });
    },
  };
}
