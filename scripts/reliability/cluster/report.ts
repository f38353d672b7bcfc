import { quantile } from "../../statistics.ts";
import type { Change, History, Visit } from "./history.ts";

/** Returns the figures of a history, for people. */
export function figuresOf({ changes, visits, faults }: Omit<History, "found">) {
  const during = ({ begin, end }: Change | Visit) => faults.some((fault) => fault.begin < end && begin < fault.end);
  const done = changes.filter(({ outcome }) => outcome === "done");
  return {
    changes: countBy(changes, ({ outcome }) => outcome),
    visits: countBy(visits, ({ via, saw }) => `${via === "balancer" ? via : "nodes"}: ${saw.kind}`),
    faults: countBy(faults, ({ kind }) => kind),
    changeMs: {
      alone: distribution(done.filter((it) => !during(it))),
      duringFaults: distribution(done.filter(during)),
    },
    visitMs: {
      alone: distribution(visits.filter((it) => !during(it))),
      duringFaults: distribution(visits.filter(during)),
    },
  };
}

// --- internal ---

function countBy<T>(items: readonly T[], key: (item: T) => string): Readonly<Record<string, number>> {
  const groups = [...Map.groupBy(items, key)].map(([name, group]) => [name, group.length] as const);
  return Object.fromEntries(groups.sort(([one], [other]) => one.localeCompare(other)));
}

function distribution(items: readonly (Change | Visit)[]) {
  const times = items.map(({ begin, end }) => end - begin);
  const at = (share: number) => Math.round(quantile(times, share) * 10) / 10;
  return { count: times.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}
