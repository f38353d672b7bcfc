import { DAY, HOUR, MINUTE } from "../timestamp.ts";

/** The counters of a step of time. */
export interface StepCounts {
  readonly requests: number;
  readonly errors5xx: number;
  readonly bytesSent: number;
  readonly deployments: number;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly jobsFailed: number;
}

export interface StepGauges {
  readonly diskUsed: number;
  readonly diskFree: number;
  readonly contentBytes: number;
  readonly memoryRss: number;
  readonly certificates: number;
  readonly claimsConnected: number;
}

/** The measurements of a step of time. */
export interface StepFigures {
  readonly counts: StepCounts;
  /** Responses by bucket of `LATENCY_BUCKETS`. */
  readonly latency: readonly number[];
  readonly gauges: StepGauges;
  /** When the server started within the step, in milliseconds since the epoch. */
  readonly starts: readonly number[];
}

export type StepLength = "minute" | "hour";

export const STEP_LENGTHS: readonly StepLength[] = ["minute", "hour"];

/** The lengths in milliseconds. */
export const STEP_MS: Readonly<Record<StepLength, number>> = { minute: MINUTE, hour: HOUR };

/** The retention of steps, with some extra time for clients that request the last 24 hours by their own clock. */
export const STEPS_KEPT: Readonly<Record<StepLength, number>> = { minute: 25 * HOUR, hour: 30 * DAY + HOUR };
