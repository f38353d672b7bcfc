import type { StepFigures, StepLength } from "../../model/metric-step.ts";

/** Measurements over time, in steps of a minute and of an hour. */
export interface MetricStore {
  /**
   * Adds measurements to the steps that contain `at`, with `mergeSteps`. Deletes steps that are too old at that time,
   * or more than a step ahead of it, which come from a clock that was set back since.
   */
  add(at: number, figures: StepFigures): Promise<void>;
  /** Returns the steps of a length that start at or after `from` and before `to`, by their start. */
  list(length: StepLength, from: number, to: number): Promise<ReadonlyMap<number, StepFigures>>;
  /**
   * Returns the number of deployments created since the last call, including deleted ones. With several nodes, since the
   * last call of any of them, so that each deployment is counted once. The first call may return 0.
   */
  countNewDeployments(): Promise<number>;
}
