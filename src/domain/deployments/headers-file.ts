import type { Warning } from "./manifest.ts";

/** One block of `_headers`: a path pattern, and what it sets or removes. */
export interface HeaderRule {
  readonly line: number;
  readonly path: string;
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

/** Returns the rules of a `_headers` file and a warning for every line that is not one; a bad line never fails a deployment. */
export declare function parseHeaders(text: string): { rules: HeaderRule[]; warnings: Warning[] };
