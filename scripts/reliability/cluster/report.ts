import { loadavg } from "node:os";
import { quantile } from "../../statistics.ts";
import type { Change, Fault, History, Interval, Visit } from "./history.ts";

/** Changes stop waiting for a node that is silent for so long. */
const EVICTED_MS = 4000;

/** Returns the figures of a history, for people. */
export function figuresOf({ changes, visits, faults }: Omit<History, "found">) {
  const during = ({ begin, end }: Change | Visit) => faults.some((fault) => fault.begin < end && begin < fault.end);
  const done = changes.filter(({ outcome }) => outcome === "done");
  return {
    changes: countBy(changes, ({ outcome }) => outcome),
    visits: countBy(visits, ({ via, saw }) => `${via === "balancer" ? via : "nodes"}: ${saw.kind}`),
    faults: {
      count: faults.length,
      longerThanALease: faults.filter(({ begin, lifted }) => lifted - begin > EVICTED_MS).length,
      ...countBy(faults, ({ kind }) => kind),
    },
    changeMs: {
      alone: distribution(done.filter((it) => !during(it))),
      duringFaults: distribution(done.filter(during)),
    },
    visitMs: {
      alone: distribution(visits.filter((it) => !during(it))),
      duringFaults: distribution(visits.filter(during)),
    },
    /** Of the machine, over the last 1, 5 and 15 minutes. */
    load: loadavg().map((load) => Math.round(load * 10) / 10),
  };
}

/** Returns the minutes of an interval in which changes could succeed, because no server that all nodes need had a fault. */
export function minutesWithServers(faults: readonly Fault[], { begin, end }: Interval): number {
  const without = faults.filter(({ node }) => node === null).reduce((sum, fault) => sum + fault.end - fault.begin, 0);
  return (end - begin - without) / 60_000;
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
