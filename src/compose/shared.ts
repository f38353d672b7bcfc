import type { ClockShift } from "../adapters/clock.ts";
import type { GenerationCell } from "../adapters/store/sqlite/generation.ts";
import type { Config } from "../config.ts";
import type { ThrottleTables } from "./rates.ts";

/** What the threads of one appliance share; all of it can be posted to a thread. */
export interface Shared {
  readonly config: Config;
  readonly generation: GenerationCell;
  readonly clockShift: ClockShift;
  readonly throttles: ThrottleTables;
}
