/** The retry state of a failed job. */
interface JobFailure {
  readonly name: string;
  /** Consecutive failures. */
  readonly failures: number;
  /** The earliest time of the next attempt. */
  readonly notBefore: number;
}

/** The result of a job's latest run, and its planned next run. */
export interface JobRun {
  readonly name: string;
  readonly lastRunAt: number;
  readonly lastDurationMs: number;
  /** Null if it did not fail. */
  readonly lastError: string | null;
  readonly nextRunAt: number;
}

/** A request for a lease. */
interface NewLease {
  /** The node. It may take over leases that it left when it was killed. */
  readonly holder: string;
  readonly now: number;
  readonly until: number;
  /** The maximum duration of a lease. One that ends twice as far ahead comes from a wrong clock and is void. */
  readonly longest: number;
}

/**
 * The lease under which a job runs. A change that names it is refused with `conflict` if the lease was taken over
 * since, because a job that was paused for an hour must not act on outdated data.
 */
export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

/** The persistent state of the scheduler, and its leases. */
export interface JobStore {
  /**
   * Takes a lease and returns its epoch, which is greater than that of every earlier lease of the name. Null while
   * another holder has it.
   */
  takeLease(name: string, lease: NewLease): Promise<number | null>;
  /** Moves the end of the lease of an epoch. Returns false without changes if it was taken over since. */
  extendLease(name: string, epoch: number, until: number): Promise<boolean>;
  /** Ends the lease of an epoch. A newer one is not affected. */
  releaseLease(name: string, epoch: number): Promise<void>;
  /** Returns whether anybody holds the lease at `now`. */
  isLeased(name: string, now: number): Promise<boolean>;

  listFailures(): Promise<readonly JobFailure[]>;
  saveFailure(failure: JobFailure): Promise<void>;
  deleteFailure(name: string): Promise<void>;

  /** Returns the latest run of every job that has run, in any order. */
  listRuns(): Promise<readonly JobRun[]>;
  /** Replaces the latest runs of these jobs in one transaction. */
  saveRuns(runs: readonly JobRun[]): Promise<void>;
}
