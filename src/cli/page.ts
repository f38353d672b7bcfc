import { optionNumber } from "./whole-number.ts";

/** The options that choose a part of a list, newest first. */
export interface PageOptions {
  readonly limit?: string;
  readonly before?: string;
}

/** Returns the query of that part, such as `?limit=2&before=7`; empty where no option is given. Throws UsageError. */
export function pageQuery(options: PageOptions): string {
  const query = new URLSearchParams();
  for (const name of ["limit", "before"] as const) {
    const number = optionNumber(`--${name}`, options[name]);
    if (number !== null) query.set(name, String(number));
  }
  return query.size > 0 ? `?${query}` : "";
}
