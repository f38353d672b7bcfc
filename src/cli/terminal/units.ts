import { DAY, HOUR, MINUTE } from "../../domain/timestamp.ts";

export { formatBytes } from "../../domain/byte-size.ts";

/** Formats a duration: `84 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  // The bounds are those of the rounded values.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a count: `1 file`, `5,000 files`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats a timestamp of the API in local time: `2026-11-20 23:59`; `never` for null. */
export function formatTime(timestamp: string | null): string {
  if (!timestamp) return "never";
  const time = new Date(timestamp);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Formats the time until a timestamp of the API, rounded to its largest unit: `in 14 d`, `in 5 h`, `in 12 min`. */
export function formatTimeLeft(timestamp: string): string {
  const left = Math.max(0, Date.parse(timestamp) - Date.now());
  if (left >= DAY) return `in ${Math.round(left / DAY)} d`;
  return left >= HOUR ? `in ${Math.round(left / HOUR)} h` : `in ${Math.round(left / MINUTE)} min`;
}
