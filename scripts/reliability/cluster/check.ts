import { findFailures } from "./failures.ts";
import type { Change, History } from "./history.ts";
import { findLosses } from "./losses.ts";
import { findWrongNumbers } from "./numbers.ts";
import { findStaleVisits } from "./stale.ts";
import type { Violation } from "./violation.ts";

/** Returns the promises that a history breaks, in chronological order. */
export function checkHistory(history: History): readonly Violation[] {
  const changes = Map.groupBy(history.changes, ({ site }) => site);
  const ofSite = (site: string): readonly Change[] => changes.get(site) ?? [];
  const violations = [
    ...findStaleVisits(history, ofSite),
    ...[...changes.values()].flatMap(findWrongNumbers),
    ...findLosses(history.found, ofSite),
    ...findFailures(history),
  ];
  return violations.sort((one, other) => one.at - other.at);
}
