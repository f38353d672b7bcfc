/** How many days of visits can be shown. */
export const RANGES = [7, 30, 90] as const;

/** Returns the days that the query of an address asks for; the usual ones for anything that cannot be chosen. */
export function rangeOf(search: string): number {
  const wanted = Number(new URLSearchParams(search).get("days"));
  return RANGES.find((range) => range === wanted) ?? 30;
}
