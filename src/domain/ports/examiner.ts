import type { Finding } from "../model/finding.ts";

/** The findings of `vitrine doctor`. */
export interface Examination {
  readonly checkedAt: number;
  readonly findings: readonly Finding[];
}

/** Runs the checks of `vitrine doctor` on this server. */
export interface Examiner {
  /**
   * Runs the checks, or returns recent findings. Concurrent callers share one run. Throws `unavailable` if the checks
   * cannot run or take too long.
   */
  examine(): Promise<Examination>;
}
