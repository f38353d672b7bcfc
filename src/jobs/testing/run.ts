import type { JobRun } from "../job.ts";

/** A run that nothing interrupts, of a job without a lease, while the clock can be trusted. */
export const RUN: JobRun = { signal: new AbortController().signal, lease: null, clockTrusted: true };
