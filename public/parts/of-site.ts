import type { Site } from "../api/types.ts";
import { forgetAllKept } from "./kept.ts";
import { forgetOneTime } from "./one-time.ts";

/** Returns the key of something of a site that is kept in this window. */
export function keyOf(site: string, what: string): string {
  return `site.${site}.${what}`;
}

/** Returns the key of secrets of this very site: those that are told after it was deleted are not a new one's. */
export function secretsOf({ name, created }: Site, what: string): string {
  return keyOf(name, `${what}.${created}`);
}

/** For a site that is deleted: a new one of its name has none of its drafts and secrets. */
export function forgetSite(site: string): void {
  const start = keyOf(site, "");
  forgetAllKept(start);
  forgetOneTime(start);
}
