/** How a job that failed is to be tried again. */
export interface JobFailure {
  readonly name: string;
  /** Failures in a row. */
  readonly failures: number;
  /** Not before this moment. */
  readonly notBefore: number;
}

/** How the latest run of a job ended, and when the next one was to begin. */
export interface JobRun {
  readonly name: string;
  readonly lastRunAt: number;
  readonly lastDurationMs: number;
  /** Null if it did not fail. */
  readonly lastError: string | null;
  readonly nextRunAt: number;
}

/** A lease that is to be taken. */
export interface NewLease {
  /** The node. What it left running when it was killed is its own to take anew. */
  readonly holder: string;
  readonly now: number;
  readonly until: number;
  /** How long a lease lasts at most: one that ends twice as far away was given by a wrong clock and is void. */
  readonly longest: number;
}

/**
 * The lease by which a job runs. A change that names it is refused with `conflict`, and nothing changed, where the lease was
 * taken anew since: a job that was paused for an hour must not act on what it knew before.
 */
export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

/** What the scheduler remembers over restarts, and who may run it. */
export interface JobStore {
  /**
   * Takes a lease and returns its epoch, which is greater than that of every lease of the name before. Null while another
   * holder's runs.
   */
  takeLease(name: string, lease: NewLease): Promise<number | null>;
  /** Moves the end of the lease of an epoch; false, and nothing changed, where it was taken anew since. */
  extendLease(name: string, epoch: number, until: number): Promise<boolean>;
  /** Ends the lease of an epoch; one that was taken since runs on. */
  releaseLease(name: string, epoch: number): Promise<void>;
  /** Tells whether anybody holds the lease at `now`. */
  isLeased(name: string, now: number): Promise<boolean>;

  listFailures(): Promise<readonly JobFailure[]>;
  saveFailure(failure: JobFailure): Promise<void>;
  clearFailure(name: string): Promise<void>;

  /** Returns the latest run of every job that has run, in no order. */
  listRuns(): Promise<readonly JobRun[]>;
  /** Replaces the latest runs of these jobs, all at once. */
  saveRuns(runs: readonly JobRun[]): Promise<void>;
}
