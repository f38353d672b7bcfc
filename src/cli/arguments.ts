import { MAX_GRACE_DAYS, MAX_KEPT, type OwnRetentionPolicy } from "../domain/model/retention.ts";
import { UsageError } from "./terminal/errors.ts";

/** Returns a positive number in plain digits; null for anything else, such as `0x1` or `1e3`. */
export function wholeNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Returns the number of an option; null if it is absent. Throws UsageError. */
export function optionNumber(
  option: string,
  text: string | undefined,
  most = Number.MAX_SAFE_INTEGER,
  least: 0 | 1 = 1,
): number | null {
  if (text === undefined) return null;
  const number = text === "0" ? 0 : wholeNumber(text);
  if (number !== null && number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
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

export interface PolicyOptions {
  readonly keepLast?: string;
  readonly keepDays?: string;
  readonly graceDays?: string;
  readonly default?: boolean;
}

/** What the options say: a change of the site's policy, in which what is absent stays, or `default` for the server's. */
export type PolicyWish = Partial<OwnRetentionPolicy> | "default";

/** Returns what the options say. Throws UsageError if they contain nothing, or a rule beside `--default`. */
export function policyOf(options: PolicyOptions): PolicyWish {
  const last = optionNumber("--keep-last", options.keepLast, MAX_KEPT);
  const days = optionNumber("--keep-days", options.keepDays, MAX_KEPT);
  const graceDays = optionNumber("--grace-days", options.graceDays, MAX_GRACE_DAYS, 0);
  const rules = last === null && days === null ? {} : { last, days };
  const wish = graceDays === null ? rules : { ...rules, graceDays };
  const named = Object.keys(wish).length > 0;
  if (named === (options.default === true)) {
    throw new UsageError(
      "nothing to keep: pass --keep-last, --keep-days or --grace-days, or --default for the server's policy",
    );
  }
  return named ? wish : "default";
}
