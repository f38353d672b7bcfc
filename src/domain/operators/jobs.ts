import { DomainError } from "../errors.ts";
import type { Caller } from "../model/caller.ts";
import { requireOperator } from "../model/operator.ts";
import type { JobState, Jobs } from "../ports/jobs.ts";

/** Another node takes over the jobs of a lost node within this time. */
const RETRY_AFTER_SECONDS = 15;

/**
 * Starts a job now, and returns it without waiting for its end. Throws `forbidden`, `not_found`, `conflict` while it is
 * running, and `unavailable` if another node runs the jobs.
 */
export async function runJob(
  { maintenance }: { readonly maintenance: Jobs },
  caller: Caller,
  name: string,
): Promise<JobState> {
  requireOperator(caller);
  const job = (await maintenance.listJobs()).find((known) => known.name === name);
  const start = await maintenance.runJob(name);
  if (job === undefined || start === "unknown") throw new DomainError("not_found", `there is no job called ${name}`);
  if (start === "running") throw new DomainError("conflict", `${name} is running: wait until it ends`);
  if (start === "elsewhere") {
    throw new DomainError("unavailable", "another node runs the jobs: try again in a moment", {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }
  return { ...job, running: true, nextRunAt: null };
}
