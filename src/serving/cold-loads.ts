import { DomainError } from "../domain/errors.ts";
import type { Clock } from "../domain/ports/clock.ts";
import { SECOND } from "../domain/timestamp.ts";

/**
 * Compiling the rules of a deployment takes up to 10 ms of a thread. Visitors who go through the deployments of one site
 * get so much of it, and no more: other sites share the thread.
 */
const MAX_COLD_LOADS_PER_SECOND = 10;

/**
 * Returns a check, for one thread, that throws `unavailable` when a site's deployments were loaded too often within this
 * second. It remembers the sites of one second only.
 */
export function coldLoadLimit({ now }: Clock): (siteId: number) => void {
  let second = 0;
  const loads = new Map<number, number>();
  return (siteId) => {
    const current = Math.floor(now() / SECOND);
    if (current !== second) loads.clear();
    second = current;
    const count = (loads.get(siteId) ?? 0) + 1;
    loads.set(siteId, count);
    if (count <= MAX_COLD_LOADS_PER_SECOND) return;
    throw new DomainError("unavailable", "too many deployments of this site are visited at once", { retryAfter: 1 });
  };
}
