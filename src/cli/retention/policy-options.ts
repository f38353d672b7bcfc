import { MOST_KEPT } from "../../domain/deployments/retention.ts";
import { UsageError } from "../errors.ts";

/** The options that say which deployments of a site stay. */
export interface PolicyOptions {
  readonly keepLast?: string;
  readonly keepDays?: string;
  readonly default?: boolean;
}

/** Returns the policy that the options name; null for the instance's. Throws UsageError where they name none, or both. */
export function policyOf(
  options: PolicyOptions,
): { readonly last: number | null; readonly days: number | null } | null {
  const last = wholeNumber("--keep-last", options.keepLast);
  const days = wholeNumber("--keep-days", options.keepDays);
  const named = last !== null || days !== null;
  if (named === (options.default === true)) {
    throw new UsageError(
      "Say what to keep: --keep-last N, --keep-days N or both; or --default for the instance's own rule.",
    );
  }
  return named ? { last, days } : null;
}

function wholeNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= MOST_KEPT) return Number(text);
  throw new UsageError(`${option}: ${JSON.stringify(text)} is not usable; give a whole number from 1 to ${MOST_KEPT}.`);
}
