import type { Site } from "../api/types.ts";
import { forgetAllKept } from "./kept.ts";
import { forgetOneTime } from "./one-time.ts";

/** Returns the key of a site's state in this window. */
export function keyOf(site: string, what: string): string {
  return `site.${site}.${what}`;
}

/** Returns the key of a site's secrets. It contains the ID, so that a new site of the same name does not get them. */
export function secretsOf({ name, created }: Site, what: string): string {
  return keyOf(name, `${what}.${created}`);
}

/** Removes drafts and secrets of a deleted site, so that a new one of the same name does not get them. */
export function forgetSite(site: string): void {
  const start = keyOf(site, "");
  forgetAllKept(start);
  forgetOneTime(start);
}
