import { DAY, HOUR } from "../../../src/domain/timestamp.ts";
import type { Analytics } from "../../api/types.ts";

/** The figures of an hour or a day. */
export interface Point {
  /** Its start, in milliseconds since the epoch. */
  readonly at: number;
  readonly views: number;
  readonly visitors: number;
  readonly bytes: number;
}

/** The data of a chart: hours or days without gaps, the last of which may be incomplete. */
export interface Series {
  readonly interval: "hour" | "day";
  readonly points: readonly Point[];
}

/** Returns the hours of the analytics if they have some, otherwise the days. */
export function seriesOf({ days, hours }: Pick<Analytics, "days" | "hours">): Series {
  if (!hours)
    return { interval: "day", points: days.map((day) => ({ ...day, at: Date.parse(`${day.day}T00:00:00Z`) })) };
  return { interval: "hour", points: hours.map((hour) => ({ ...hour, at: Date.parse(hour.hour) })) };
}

export function lengthOf(interval: Series["interval"]): number {
  return interval === "hour" ? HOUR : DAY;
}

/** Returns the name of an hour or a day: `Today`, `5 November`, `22 November, 10:00`. */
export function nameOf({ interval }: Series, at: number, now: number): string {
  if (isCurrent(interval, at, now)) return interval === "hour" ? "This hour" : "Today";
  return (interval === "hour" ? longHours : longDays).format(at);
}

/** Returns whether `now` is in the hour or day that starts at `at`. */
export function isCurrent(interval: Series["interval"], at: number, now: number): boolean {
  return at <= now && now < at + lengthOf(interval);
}

interface Label {
  readonly index: number;
  readonly text: string;
}

/** The width of a label with the space around it, in pixels. */
const LABEL_WIDTH = { hour: 104, day: 64 };
/** Possible numbers of points between two labels. */
const STEPS = { hour: [3, 6, 12, 24], day: [1, 2, 5, 7, 10, 15, 30] };

/**
 * Returns the labels below a chart of `width` pixels, the oldest first. They are placed from the end, so that the last
 * one, today or now, always exists.
 */
export function labelsOf({ interval, points }: Series, width: number, now: number): readonly Label[] {
  const wanted = (LABEL_WIDTH[interval] * points.length) / Math.max(width, 1);
  const step = STEPS[interval].find((points) => points >= wanted) ?? points.length;
  const labels: Label[] = [];
  for (let index = points.length - 1; index >= 0; index -= Math.max(step, 1)) {
    const at = points[index]?.at ?? 0;
    const current = interval === "hour" ? "Now" : "Today";
    const text = isCurrent(interval, at, now) ? current : (interval === "hour" ? shortHours : shortDays).format(at);
    labels.unshift({ index, text });
  }
  return labels;
}

// --- internal ---

const UTC = { timeZone: "UTC" } as const;
const TIME = { hour: "2-digit", minute: "2-digit" } as const;
const shortDays = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...UTC });
const shortHours = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...TIME, ...UTC });
const longDays = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", ...UTC });
const longHours = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", ...TIME, ...UTC });
