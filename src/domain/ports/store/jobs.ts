/** How a job that failed is to be tried again. */
export interface JobFailure {
  readonly name: string;
  /** Failures in a row. */
  readonly failures: number;
  /** Not before this moment. */
  readonly notBefore: number;
}

/** What the scheduler remembers over restarts, and who may run it. */
export interface JobStore {
  /**
   * Takes or extends a lease until `until`. False while another holder's runs, unless `takeOver`: for whoever knows
   * that the other one is gone. A lease lasts `longest`; one that ends twice as far away was given by a wrong clock and is void.
   */
  takeLease(
    name: string,
    lease: { holder: string; now: number; until: number; longest: number; takeOver: boolean },
  ): Promise<boolean>;
  releaseLease(name: string, holder: string): Promise<void>;
  /** Tells whether anybody holds the lease at `now`. */
  isLeased(name: string, now: number): Promise<boolean>;

  listFailures(): Promise<readonly JobFailure[]>;
  saveFailure(failure: JobFailure): Promise<void>;
  clearFailure(name: string): Promise<void>;
}
