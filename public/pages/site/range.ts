import { DAY } from "../../../src/domain/timestamp.ts";

/** A selectable period: hours up to now, or days with today as the last. */
export interface Range {
  readonly name: string;
  readonly interval: "hour" | "day";
  readonly length: number;
}

export const RANGES: readonly Range[] = [
  { name: "48 hours", interval: "hour", length: 48 },
  { name: "7 days", interval: "day", length: 7 },
  { name: "30 days", interval: "day", length: 30 },
  { name: "90 days", interval: "day", length: 90 },
];
const [, , STANDARD] = RANGES as readonly [Range, Range, Range];

/** Returns the range in the query of a page; 30 days for invalid values. */
export function rangeOf(search: string): Range {
  const query = new URLSearchParams(search);
  return (
    RANGES.find(({ interval, length }) => query.get(interval === "hour" ? "hours" : "days") === String(length)) ??
    STANDARD
  );
}

/** Returns the query of the page for a range. */
export function queryOf({ interval, length }: Range): string {
  return `?${interval === "hour" ? "hours" : "days"}=${length}`;
}

/** Returns the query of the API for a range that ends at `now`. */
export function apiQueryOf({ interval, length }: Omit<Range, "name">, now: Date): string {
  if (interval === "hour") return "interval=hour";
  const from = new Date(now.getTime() - (length - 1) * DAY);
  return `from=${dateOf(from)}&to=${dateOf(now)}`;
}

/** Returns the query of the API for the days before a range that ends at `now`; null for hours, which have none. */
export function queryBefore(range: Range, now: Date): string | null {
  if (range.interval === "hour") return null;
  return apiQueryOf(range, new Date(now.getTime() - range.length * DAY));
}

/** Returns the change of a figure: `+12 %`; empty without earlier data. */
export function trendOf(value: number, before: number): string {
  if (before === 0) return "";
  const percent = Math.round((100 * (value - before)) / before);
  if (percent === 0) return "±0 %";
  return percent > 999 ? "> +999 %" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}

// --- internal ---

function dateOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
