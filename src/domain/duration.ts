import { fieldError } from "./errors.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./timestamp.ts";

const DURATION = /^(\d{1,12})\s*(s|m|h|d)$/;
const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const;

/** Parses a duration such as `90s`, `15m`, `12h` or `30d` to milliseconds; null for zero and anything else. */
export function parseDuration(text: string): number | null {
  const [, number, unit] = DURATION.exec(text) ?? [];
  if (number === undefined) return null;
  const time = Number(number) * UNITS[unit as keyof typeof UNITS];
  return Number.isSafeInteger(time) && time > 0 ? time : null;
}

/** Formats a duration for `parseDuration`, in the largest unit that fits. */
export function formatDuration(milliseconds: number): string {
  const [unit, length] = (["d", "h", "m"] as const)
    .map((name) => [name, UNITS[name]] as const)
    .find(([, span]) => milliseconds % span === 0) ?? ["s", SECOND];
  return `${milliseconds / length}${unit}`;
}

/** The bounds of a duration in a request, and its location. */
interface DurationBounds {
  readonly loc: readonly string[];
  readonly min: number;
  readonly max: number;
}

/** Parses a duration in a request. Throws `validation` for invalid text or a value out of bounds. */
export function requireDuration(text: string, { loc, min, max }: DurationBounds): number {
  const time = parseDuration(text);
  if (time !== null && time >= min && time <= max) return time;
  throw fieldError(loc, `Give a time from ${formatDuration(min)} to ${formatDuration(max)}, such as 14d`, "duration");
}
