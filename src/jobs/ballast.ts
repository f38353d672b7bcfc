import { HOUR, MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Returns the job that reserves disk space for deletions on a full disk. `create` does nothing if the file exists. */
export function ballastJob(create: () => void): Job {
  return {
    name: "ballast",
    title: "Reserve disk space",
    scope: "node",
    every: HOUR,
    timeLimit: MINUTE,
    run: async () => create(),
  };
}
