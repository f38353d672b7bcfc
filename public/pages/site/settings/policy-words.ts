import { MAX_GRACE_DAYS } from "../../../../src/domain/model/retention.ts";
import type { RetentionPolicy } from "../../../api/types.ts";
import { count } from "../../../format.ts";

type KeptDeployments = Pick<RetentionPolicy, "keep_last" | "keep_days">;

/** Describes which deployments a policy keeps. */
export function policySentence({ keep_last: last, keep_days: days }: KeptDeployments): string {
  const newest = last === 1 ? "the newest deployment" : `the newest ${last} deployments`;
  const recent = `created or live in the last ${days === 1 ? "day" : count(days ?? 0, "day")}`;
  if (last === null && days === null) return "All deployments are kept.";
  if (days === null) return `${last === 1 ? "The newest deployment is" : `The newest ${last} deployments are`} kept.`;
  if (last === null) return `Deployments ${recent} are kept.`;
  return `Deployments ${recent} and ${newest} are kept.`;
}

/** Parses a rule: null for none, undefined if invalid. */
export function ruleOf(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  return /^[1-9]\d{0,4}$/.test(text.trim()) ? Number(text) : undefined;
}

/** Parses a grace period in days: null for the server's, undefined if invalid. */
export function graceOf(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const days = /^\d{1,2}$/.test(text.trim()) ? Number(text) : Infinity;
  return days <= MAX_GRACE_DAYS ? days : undefined;
}
