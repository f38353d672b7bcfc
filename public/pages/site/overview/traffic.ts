import type { DayFigures } from "../../../api/types.ts";

/** The number of days shown, which are compared with as many days before. */
export const SHOWN_DAYS = 30;

type Counted = "views" | "visitors" | "bytes";

/** A figure of the shown days, and its change in percent; null without earlier data. */
export interface Trend {
  readonly total: number;
  readonly percent: number | null;
}

/** Returns the figure of the last 30 of `days`, compared with the 30 before. `days` are oldest first. */
export function trendOf(days: readonly DayFigures[], counted: Counted): Trend {
  const sum = (some: readonly DayFigures[]) => some.reduce((total, day) => total + day[counted], 0);
  const total = sum(days.slice(-SHOWN_DAYS));
  const before = sum(days.slice(-2 * SHOWN_DAYS, -SHOWN_DAYS));
  return { total, percent: before === 0 ? null : Math.round((100 * (total - before)) / before) };
}

/** `+12 %`, `−3 %`; null for no change, and for meaninglessly large ones. */
export function percentWords({ percent }: Trend): string | null {
  if (percent === null || percent === 0 || percent > 999) return null;
  return `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}

/** The minimum of a scale, so that two views do not look like a success. */
const MIN_PEAK = 8;

/** Returns the end of a scale for values up to `peak`: a round number whose half is round as well. */
export function scaleEnd(peak: number): number {
  const least = Math.max(MIN_PEAK, peak);
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 4, 5, 6, 8, 10].find((step) => step * power >= least) ?? 10) * power;
}
