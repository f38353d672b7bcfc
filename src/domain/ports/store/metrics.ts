import type { StepFigures, StepLength } from "../../maintenance/metric-steps.ts";

/** What was measured over time, in steps of a minute and of an hour. */
export interface MetricStore {
  /**
   * Adds what was measured to the steps that `at` is in, as `mergeSteps` says, and forgets the steps that are too old
   * at that moment, or lie more than a step ahead of it: those of a clock that was set back since.
   */
  add(at: number, figures: StepFigures): Promise<void>;
  /** Returns the steps of a length that begin from `from` on and before `to`, by their beginning. */
  list(length: StepLength, from: number, to: number): Promise<ReadonlyMap<number, StepFigures>>;
  /** Returns how many deployments were ever made, deleted ones included. */
  deploymentsMade(): Promise<number>;
}
