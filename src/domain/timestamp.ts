/** Formats epoch milliseconds as RFC 3339 in UTC with milliseconds and `Z`. */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
