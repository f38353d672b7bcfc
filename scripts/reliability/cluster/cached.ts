import type { Change, History, Visit } from "./history.ts";

/** A node may apply changes that it has read for this long after the database has ended. */
const STILL_APPLIED_MS = 1000;

/** All threads of a node have a file this long after one of them served it. */
const CACHED_MS = 5000;

/**
 * Returns a function that tells whether a node had the file of a visit in its cache. It has if it served the file some
 * time before, and the site has shown the same ever since: no change was under way, or the database was away.
 */
export function newCacheKnowledge({
  visits,
  changes,
  faults,
}: Omit<History, "found">): (node: string, visit: Visit) => boolean {
  const served = Map.groupBy(visits.filter(isServed), ({ via, site, path }) => keyOf(via, site, path));
  for (const group of served.values()) group.sort((one, other) => one.end - other.end);
  const changesOf = Map.groupBy(
    changes.filter(({ outcome }) => outcome !== "refused"),
    ({ site }) => site,
  );
  const outages = faults.filter(({ kind }) => kind === "database killed" || kind === "database stopped");

  return (node, { site, path, begin, end }) => {
    const last = served.get(keyOf(node, site, path))?.findLast((earlier) => earlier.end + CACHED_MS < begin);
    if (last === undefined) return false;
    const isInOutage = outages.some((outage) => outage.begin + STILL_APPLIED_MS < last.begin && end < outage.lifted);
    return isInOutage || !changesOf.get(site)?.some((change) => change.begin < end && endOf(change) > last.begin);
  };
}

// --- internal ---

function isServed({ saw }: Visit): boolean {
  return saw.kind === "page" || saw.kind === "shared";
}

function keyOf(via: string, site: string, path: string): string {
  return `${via} ${site} ${path}`;
}

/** A change may be shown much later if its answer was not that all nodes show it. */
function endOf({ outcome, end }: Change): number {
  return outcome === "done" ? end : Number.POSITIVE_INFINITY;
}
