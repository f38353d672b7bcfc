import type { Rate } from "../rate-limit.ts";

/** One limit as it holds here. */
export interface Limit {
  readonly name: string;
  /** The setting by which the operator changes it; null where it cannot be changed. */
  readonly setting: string | null;
  readonly unit: LimitUnit;
  /** Null where there is no limit. */
  readonly value: number | null;
  readonly meaning: string;
}

export type LimitUnit = "bytes" | "seconds" | "count";

/** One rate as it holds here; null where nothing is limited. */
interface RateInForce extends Omit<Limit, "unit" | "value"> {
  readonly rate: Rate | null;
}

/** Everything that limits people, programs and visitors here. */
export interface LimitsInForce {
  readonly limits: readonly Limit[];
  readonly rates: readonly RateInForce[];
}
