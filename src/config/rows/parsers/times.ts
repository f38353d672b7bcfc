import { formatDuration, parseDuration } from "../../../domain/duration.ts";
import { MAX_WINDOW } from "../../../domain/limits/rate-limit.ts";
import type { Rate } from "../../../domain/model/rate.ts";
import { SECOND } from "../../../domain/timestamp.ts";
import { type Parser, parser, Unusable } from "./parser.ts";

/** Milliseconds, from 90s, 15m, 12h or 30d. */
export const duration = parser<number>(
  "TIME",
  (value) => {
    const time = parseDuration(value);
    if (time === null) throw new Unusable("a time such as 90s, 15m, 12h or 30d");
    return time;
  },
  formatDuration,
);

/** A duration, or 0 for none. */
export const durationOrZero = parser<number>(
  "TIME",
  (value, folder) => (value === "0" ? 0 : duration(value, folder)),
  formatDuration,
);

/** A duration between two bounds in milliseconds. */
export function durationWithin(least: number, most: number): Parser<number> {
  const within = (value: string, folder: string) => {
    const time = duration(value, folder);
    if (time < least || time > most)
      throw new Unusable(`a time from ${formatDuration(least)} to ${formatDuration(most)}`);
    return time;
  };
  return parser(duration.placeholder, within, formatDuration);
}

/** A duration up to a maximum in milliseconds, or 0 for none. */
export function durationUpTo(most: number): Parser<number> {
  const upTo = durationWithin(SECOND, most);
  return parser(upTo.placeholder, (value, folder) => (value === "0" ? 0 : upTo(value, folder)), formatDuration);
}

const RATE = /^(\d+)\s*\/\s*(\d*)\s*(s|m|h|d)$/;
const MAX_EVENTS = 1_000_000;

/** A rate such as `10/15m` or `100/s`. */
export const rate = parser<Rate>(
  "N/TIME",
  (value) => {
    const [, number, times = "", unit = "s"] = RATE.exec(value.replaceAll("_", "")) ?? [];
    const count = Number(number ?? 0);
    const window = parseDuration(`${times === "" ? 1 : times}${unit}`) ?? 0;
    if (count < 1 || count > MAX_EVENTS || window < 1 || window > MAX_WINDOW) {
      throw new Unusable("a number and a time of at most a day, such as 10/15m or 100/s");
    }
    return { count, window };
  },
  formatRate,
);

// --- internal ---

function formatRate({ count, window }: Rate): string {
  return `${count}/${formatDuration(window)}`;
}
