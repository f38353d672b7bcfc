import { DAY, HOUR, MINUTE, SECOND } from "../../../src/domain/timestamp.ts";
import type { Job } from "../../api/types.ts";
import { count } from "../../format.ts";

const UNITS: Readonly<Record<string, string>> = { s: "second", m: "minute", h: "hour", d: "day" };

/** `15s` → `every 15 seconds`. */
export function everyText(every: string): string {
  const [, number = "1", unit = ""] = /^(\d+)([smhd])$/.exec(every) ?? [];
  const noun = UNITS[unit];
  if (noun === undefined) return `every ${every}`;
  return number === "1" ? `every ${noun}` : `every ${count(Number(number), noun)}`;
}

/** A job that runs more often only looks for work in most of its runs. */
const LOOKS_BELOW = 10 * SECOND;

/** `looks for work every second`, `every hour`. */
export function paceText(every: string): string {
  return lengthOf(every) < LOOKS_BELOW ? `looks for work ${everyText(every)}` : everyText(every);
}

/** `1240` → `1.2 s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns the jobs with the failed ones first, then those that run least often. */
export function byInterest(jobs: readonly Job[]): Job[] {
  return [...jobs].sort((one, other) => rank(other) - rank(one) || lengthOf(other.every) - lengthOf(one.every));
}

const LENGTHS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

function lengthOf(every: string): number {
  return Number.parseInt(every, 10) * (LENGTHS[every.at(-1) ?? ""] ?? 0);
}

function rank({ last_error }: Job): number {
  return last_error === null ? 0 : 1;
}
