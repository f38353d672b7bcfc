import { fieldError } from "../errors.ts";
import { type MetricSeries, metricSeries, metricWindow } from "../maintenance/metric-steps.ts";
import type { Caller } from "../model/caller.ts";
import { STEP_MS } from "../model/metric-step.ts";
import { requireOperator } from "../model/operator.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";

interface MetricPorts {
  readonly store: Pick<Store, "metrics">;
  readonly clock: Clock;
}

/** The history of the server within a window. */
export interface MetricHistory {
  readonly stepSeconds: number;
  readonly series: readonly MetricSeries[];
  /** When the server started within the window, oldest first. */
  readonly starts: readonly number[];
}

/**
 * Returns the measurements from `from` until before `to`, by default of the last 24 hours. Throws `forbidden`, and
 * `validation` for a window that ends before it starts.
 */
export async function readMetrics(
  { store, clock }: MetricPorts,
  caller: Caller,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
): Promise<MetricHistory> {
  requireOperator(caller);
  const now = clock.now();
  const end = to ?? now;
  const begin = from ?? end - DAY;
  if (begin >= end) throw fieldError(["query", "from"], "must be before `to`");
  const window = metricWindow(now, begin, end);
  const steps = await store.metrics.list(window.length, window.from, window.to);
  return {
    stepSeconds: STEP_MS[window.length] / 1000,
    series: metricSeries(window, steps),
    starts: [...steps.values()].flatMap(({ starts }) => starts),
  };
}
