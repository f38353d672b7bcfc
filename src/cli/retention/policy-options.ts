import { MAX_KEPT } from "../../domain/deployments/retention.ts";
import { UsageError } from "../errors.ts";
import { optionNumber } from "../whole-number.ts";

/** The options that say which deployments of a site stay. */
export interface PolicyOptions {
  readonly keepLast?: string;
  readonly keepDays?: string;
  readonly default?: boolean;
}

/** Returns the policy that the options name; null for the server's. Throws UsageError where they name none, or both. */
export function policyOf(
  options: PolicyOptions,
): { readonly last: number | null; readonly days: number | null } | null {
  const last = optionNumber("--keep-last", options.keepLast, MAX_KEPT);
  const days = optionNumber("--keep-days", options.keepDays, MAX_KEPT);
  const named = last !== null || days !== null;
  if (named === (options.default === true)) {
    throw new UsageError(
      "Give what to keep: --keep-last N, --keep-days N or both; or --default for the server's policy.",
    );
  }
  return named ? { last, days } : null;
}
