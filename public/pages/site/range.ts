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
export function apiQueryOf({ interval, length }: Range, now: Date): string {
  if (interval === "hour") return "interval=hour";
  const from = new Date(now.getTime() - (length - 1) * 86_400_000);
  return `from=${dateOf(from)}&to=${dateOf(now)}`;
}

// --- internal ---

function dateOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
