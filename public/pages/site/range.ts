/** The selectable ranges in days. */
export const RANGES = [7, 30, 90] as const;

/** Returns the range in a query; the default for invalid values. */
export function rangeOf(search: string): number {
  const wanted = Number(new URLSearchParams(search).get("days"));
  return RANGES.find((range) => range === wanted) ?? 30;
}
