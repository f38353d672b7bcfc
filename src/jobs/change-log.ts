import type { NodeDirectory } from "../domain/ports/store/nodes.ts";
import type { Log } from "../domain/ports/system.ts";
import { MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Returns the job that keeps the log of changes short, by the clock of the database. */
export function changeLogJob(nodes: Pick<NodeDirectory, "deleteOld">, log: Log): Job {
  return {
    name: "change-log",
    title: "Shorten the log that nodes follow",
    scope: "cluster",
    every: 5 * MINUTE,
    timeLimit: 5 * MINUTE,
    async run() {
      const forgotten = await nodes.deleteOld();
      if (forgotten.nodes > 0) log.info("silent nodes were forgotten", { nodes: forgotten.nodes });
    },
  };
}
