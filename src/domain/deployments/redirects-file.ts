import type { Warning } from "./manifest.ts";

/** One line of `_redirects`. `from` is a path pattern with `:name` placeholders and at most one trailing `*`. */
export interface RedirectRule {
  readonly line: number;
  readonly from: string;
  /** Query parameters that must be there: name → value or `:placeholder`. */
  readonly query: Readonly<Record<string, string>>;
  readonly to: string;
  readonly status: number;
  /** `301!`: applies even where a file exists. */
  readonly force: boolean;
}

/** All rules of a deployment, in the order of the file. */
export type RedirectRules = readonly RedirectRule[];

/** Returns the rules of a `_redirects` file and a warning for every line that is not one; a bad line never fails a deployment. */
export declare function parseRedirects(text: string): { rules: RedirectRules; warnings: Warning[] };
