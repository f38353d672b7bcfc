import { DAY, HOUR, MINUTE } from "../src/domain/timestamp.ts";

export { formatBytes } from "../src/domain/byte-size.ts";

const numbers = new Intl.NumberFormat("en");

export function formatNumber(value: number): string {
  return numbers.format(value);
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });

/** Larger numbers are too long for an axis. */
const LONG = 10_000;
/** Larger numbers are too long for a box on a phone. */
const TOO_LONG = 10_000_000;

/** For the scale of a chart: `1250000` → `1.25M`. */
export function formatTick(value: number): string {
  return value < LONG ? formatNumber(value) : compact.format(value);
}

/** For large figures: exact if it fits, otherwise `12345678` → `12.35M`. */
export function formatFigure(value: number): string {
  return value < TOO_LONG ? formatNumber(value) : compact.format(value);
}

const graphemes = new Intl.Segmenter("en");

/** The first grapheme of a name; an emoji has several code units. */
export function initialOf(name: string): string {
  const [first] = graphemes.segment(name);
  return first?.segment.toUpperCase() ?? "";
}

/** A URL as people read it: `https://hello.example.com` → `hello.example.com`. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "");
}

/** `count(2, "file")` → `2 files`. */
export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
];

/** `3 hours ago`; within a minute `just now`, also if the clocks differ slightly. */
export function formatRelative(timestamp: string, now: number): string {
  const away = Date.parse(timestamp) - now;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(away) >= length) ?? [null, 1];
  return unit === null ? "just now" : relative.format(Math.trunc(away / size), unit);
}

/** For future times: `in 3 hours`; within a minute, or slightly past, `within a minute`. */
export function formatDue(timestamp: string, now: number): string {
  return Date.parse(timestamp) - now < MINUTE ? "within a minute" : formatRelative(timestamp, now);
}

const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export function formatMoment(timestamp: string): string {
  return moments.format(new Date(timestamp));
}

/** Timestamps of the API. */
const TIMESTAMPS = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g;

/** Shows the times in a text of the API as `formatMoment` does. */
export function withMoments(text: string): string {
  return text.replace(TIMESTAMPS, formatMoment);
}

const times = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** `21:58`, for a time today. */
export function formatTime(milliseconds: number): string {
  return times.format(milliseconds);
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** `22 Nov`, in the browser's time zone. */
export function formatDay(milliseconds: number): string {
  return days.format(milliseconds);
}

const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** `22 Nov 2026`, in the browser's time zone. */
export function formatDate(timestamp: string): string {
  return dates.format(new Date(timestamp));
}

/** Capitalizes a message of the API, unless it begins with a hostname. */
export function sentence(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}

/** Enough of a URL to distinguish it. */
const MAX_SHOWN_URL = 60;

/** Truncates a long URL in a message. */
export function formatUrl(url: string): string {
  return truncate(url, MAX_SHOWN_URL);
}

/** Returns the text, or its first `max` characters and an ellipsis. */
export function truncate(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
