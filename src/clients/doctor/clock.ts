import { type Finding, ok, problem, warning } from "../../domain/model/finding.ts";
import { MINUTE, SECOND, timestamp } from "../../domain/timestamp.ts";

/** Certificates, sessions and ACME fail beyond some difference above this. */
const TOLERABLE = MINUTE;

/**
 * Compares the wall clock with the last recorded time, which must be in the past, and with the time of a web server, if
 * one may be contacted.
 */
export async function examineClock(now: number, lastSeen: number | null, reference: string | null): Promise<Finding> {
  const advice = "set the clock and keep it synchronized: timedatectl set-ntp true";
  if (lastSeen !== null && now < lastSeen - TOLERABLE) {
    return problem("clock", `it is ${timestamp(now)}, before the last change at ${timestamp(lastSeen)}`, advice);
  }
  const reported = reference === null ? null : await dateOf(reference);
  if (reported === null) return ok("clock", `it is ${timestamp(now)}`);
  const off = now - reported;
  if (Math.abs(off) <= TOLERABLE) return ok("clock", `agrees with ${new URL(reference as string).host}`);
  return warning("clock", `differs by ${Math.round(off / SECOND)} s from ${new URL(reference as string).host}`, advice);
}

async function dateOf(url: string): Promise<number | null> {
  try {
    const response = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(5000) });
    const date = Date.parse(response.headers.get("date") ?? "");
    return Number.isNaN(date) ? null : date;
  } catch {
    return null;
  }
}
