import type { Rate } from "../model/rate.ts";

/** An effective limit. */
export interface Limit {
  readonly name: string;
  /** The setting that changes it; null if it is fixed. */
  readonly setting: string | null;
  readonly unit: LimitUnit;
  /** Null for no limit. */
  readonly value: number | null;
  readonly meaning: string;
}

export type LimitUnit = "bytes" | "seconds" | "count";

/** An effective rate limit; null for no limit. */
interface RateInForce extends Omit<Limit, "unit" | "value"> {
  readonly rate: Rate | null;
}

/** All effective limits and rates of this server. */
export interface LimitsInForce {
  readonly limits: readonly Limit[];
  readonly rates: readonly RateInForce[];
}
