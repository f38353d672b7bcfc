import { forgetAllKept } from "./kept.ts";
import { forgetOneTime } from "./one-time.ts";

/** Returns the key of something of a site that is kept in this window. */
export function keyOf(site: string, what: string): string {
  return `site.${site}.${what}`;
}

/** For whoever deletes a site: a new one of its name has none of its drafts and secrets. */
export function forgetSite(site: string): void {
  const start = keyOf(site, "");
  forgetAllKept(start);
  forgetOneTime(start);
}
