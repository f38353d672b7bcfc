import type { Job, JobRun } from "./job.ts";

interface Expiry extends Omit<Job, "scope" | "run"> {
  run(run: JobRun): Promise<unknown>;
}

/** Returns a job of the cluster that deletes what is too old. It is skipped while the clock is not trusted. */
export function expiryJob({ run: expire, ...job }: Expiry): Job {
  return {
    ...job,
    scope: "cluster",
    async run(run) {
      if (run.clockTrusted) await expire(run);
    },
  };
}
