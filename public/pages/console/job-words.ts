import type { Job } from "../../api/types.ts";
import { count } from "../../format.ts";

const NAMES: Readonly<Record<string, string>> = {
  audit: "Remove old audit entries",
  backups: "Make backups",
  ballast: "Reserve disk space",
  "change-log": "Shorten the log that nodes follow",
  "claim-checks": "Check custom domains",
  "claim-expiry": "End expired domain claims",
  "claim-removals": "Remove custom domains",
  "collect-objects": "Remove unused objects in S3",
  encode: "Compress new content",
  incidents: "Report incidents",
  "live-events": "Remove old events",
  metrics: "Measure the server",
  "present-certificates": "Present new certificates",
  previews: "Remove expired previews",
  "renew-certificates": "Renew certificates",
  retention: "Apply deployment retention",
  sweep: "Sweep unused content",
  "view-hours": "Remove old hourly analytics",
  "view-retention": "Remove old analytics",
  "watch-disk": "Report low disk space",
  "webhook-deliveries": "Deliver webhooks",
  "webhook-retention": "Remove old webhook deliveries",
};

/** Describes a job. */
export function jobName(name: string): string {
  return NAMES[name] ?? name;
}

const UNITS: Readonly<Record<string, string>> = { s: "second", m: "minute", h: "hour", d: "day" };

/** `15s` → `every 15 seconds`. */
export function everyText(every: string): string {
  const [, number = "1", unit = ""] = /^(\d+)([smhd])$/.exec(every) ?? [];
  const noun = UNITS[unit];
  if (noun === undefined) return `every ${every}`;
  return number === "1" ? `every ${noun}` : `every ${count(Number(number), noun)}`;
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

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function lengthOf(every: string): number {
  return Number.parseInt(every, 10) * (SECONDS[every.at(-1) ?? ""] ?? 0);
}

function rank({ last_error }: Job): number {
  return last_error === null ? 0 : 1;
}
