/** A recurring job of the server, as operators see it. */
export interface JobState {
  readonly name: string;
  /** What it does, such as `Renew certificates`. */
  readonly title: string;
  /** Milliseconds from the end of a run to the start of the next. */
  readonly every: number;
  /** When the latest completed run started; null before the first one. */
  readonly lastRunAt: number | null;
  readonly lastDurationMs: number | null;
  /** Why the latest run failed; null if it did not. */
  readonly lastError: string | null;
  /** Null while it runs. */
  readonly nextRunAt: number | null;
  readonly running: boolean;
}

/** `elsewhere`: another node runs the jobs of the cluster. */
export type JobStart = "started" | "running" | "unknown" | "elsewhere";

/** The jobs of the server. */
export interface Jobs {
  /** Returns all jobs in the order of their declaration. */
  listJobs(): Promise<readonly JobState[]>;
  /** Starts a job now instead of at its next time. Does not wait for its end. */
  runJob(name: string): Promise<JobStart>;
}
