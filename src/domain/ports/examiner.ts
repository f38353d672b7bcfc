import type { Finding } from "../maintenance/finding.ts";

/** What the checks of `vitrine doctor` found. */
export interface Examination {
  readonly checkedAt: number;
  readonly findings: readonly Finding[];
}

/** Runs the checks of `vitrine doctor` on this server. */
export interface Examiner {
  /**
   * Returns the findings of a moment ago, or runs the checks. They run once at a time: whoever asks meanwhile gets the
   * same. Throws `unavailable` where they cannot be run, or take too long.
   */
  examine(): Promise<Examination>;
}
