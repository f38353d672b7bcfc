import type { RetentionPolicy } from "../../api/types.ts";
import { count } from "../../format.ts";

/** Returns in a sentence which deployments a policy keeps. */
export function policySentence({ keep_last: last, keep_days: days }: RetentionPolicy): string {
  const newest = last === 1 ? "the newest deployment" : `the newest ${last} deployments`;
  const recent = `those made or live in the last ${days === 1 ? "day" : count(days ?? 0, "day")}`;
  if (last === null && days === null) return "Every deployment stays.";
  if (days === null) return `Of all deployments, ${newest} ${last === 1 ? "stays" : "stay"}.`;
  if (last === null) return `Of all deployments, ${recent} stay.`;
  return `Of all deployments, ${newest} and ${recent} stay.`;
}

/** Returns the rule that was typed: null for none, undefined for what is no rule. */
export function ruleOf(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  return /^[1-9]\d{0,4}$/.test(text.trim()) ? Number(text) : undefined;
}
