import { watchDisk } from "../domain/operators/incidents.ts";
import type { Log } from "../domain/ports/system.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

type Ports = Parameters<typeof watchDisk>[0] & { readonly log: Log };

/** Returns the job that detects low disk space. Each node watches its own disk. */
export function watchDiskJob(ports: Ports): Job {
  return {
    name: "watch-disk",
    title: "Report low disk space",
    scope: "node",
    every: 10 * SECOND,
    timeLimit: MINUTE,
    async run() {
      for (const name of await watchDisk(ports)) ports.log.warn("incident", { name });
    },
  };
}
