import { MAX_KEPT } from "../domain/model/retention.ts";
import { UsageError } from "./terminal/errors.ts";

/** Returns a positive number in plain digits; null for anything else, such as `0x1` or `1e3`. */
export function wholeNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Returns the number of an option; null if it is absent. Throws UsageError. */
export function optionNumber(option: string, text: string | undefined, most = Number.MAX_SAFE_INTEGER): number | null {
  if (text === undefined) return null;
  const number = wholeNumber(text);
  if (number !== null && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? "from 1" : `from 1 to ${most}`;
  throw new UsageError(`${option}: ${JSON.stringify(text)} is not usable; give a whole number ${range}`);
}

/** The paging options of a list. */
export interface PageOptions {
  readonly limit?: string;
  readonly before?: string;
}

/** Returns the query string, such as `?limit=2&before=7`; empty without options. Throws UsageError. */
export function pageQuery(options: PageOptions): string {
  const query = new URLSearchParams();
  for (const name of ["limit", "before"] as const) {
    const number = optionNumber(`--${name}`, options[name]);
    if (number !== null) query.set(name, String(number));
  }
  return query.size > 0 ? `?${query}` : "";
}

export function deploymentNumber(text: string): number {
  const number = wholeNumber(text);
  if (number !== null) return number;
  throw new UsageError(`${text} is not a deployment number`, "See the deployments: vitrine deployments list SITE");
}

/** The options of a retention policy. */
export interface PolicyOptions {
  readonly keepLast?: string;
  readonly keepDays?: string;
  readonly default?: boolean;
}

/** Returns the policy in the options; null for the server's. Throws UsageError if they contain neither or both. */
export function policyOf(
  options: PolicyOptions,
): { readonly last: number | null; readonly days: number | null } | null {
  const last = optionNumber("--keep-last", options.keepLast, MAX_KEPT);
  const days = optionNumber("--keep-days", options.keepDays, MAX_KEPT);
  const named = last !== null || days !== null;
  if (named === (options.default === true)) {
    throw new UsageError("nothing to keep: pass --keep-last or --keep-days, or --default for the server's policy");
  }
  return named ? { last, days } : null;
}
