import { HOUR, MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Returns the job that keeps space aside for deletions on a full disk; `lay` does nothing where it lies already. */
export function ballastJob(lay: () => void): Job {
  return { name: "ballast", scope: "node", every: HOUR, timeLimit: MINUTE, run: async () => lay() };
}
