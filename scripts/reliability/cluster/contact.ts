import type { Fault, FaultKind, Interval } from "./history.ts";

/** A time in which a node did not learn of changes. */
export interface LostContact {
  /** From when on it may lack changes. */
  readonly begin: number;
  /** Faults during which it showed visitors what it knew, because it could not reach the database. */
  readonly isolated: readonly Fault[];
}

/** Faults during which a node learns of no changes. It catches up before it serves again, if it can reach the database. */
const OF_CONTACT: readonly FaultKind[] = ["node killed", "node drained", "node stopped", "node without database"];
const OF_DATABASE: readonly FaultKind[] = ["database killed", "database stopped"];

/** A node that was isolated before it stopped does not try again to reach the database before this time has passed. */
const ISOLATED_MS = 2500;

/**
 * Returns when a node had lost contact and served nevertheless: while it was cut off from the database, or if the
 * database was away when the node would have caught up after another fault. Then others may reach the database a little
 * earlier. While only the database is away nothing changes, so then no contact is lost.
 */
export function lostContacts(faults: readonly Fault[], node: string): readonly LostContact[] {
  const isOfNode = (fault: Fault) => fault.node === node && OF_CONTACT.includes(fault.kind);
  const relevant = faults.filter((fault) => isOfNode(fault) || OF_DATABASE.includes(fault.kind));
  return chains(relevant).flatMap((chain) => {
    const own = chain.filter(isOfNode);
    if (own.length === 0) return [];
    const outages = chain.filter(({ kind }) => OF_DATABASE.includes(kind));
    const cuts = own.filter(({ kind }) => kind === "node without database");
    const recoveries = own
      .map((fault) => ({ ...fault, begin: fault.lifted }))
      .filter((recovery) => outages.some(({ begin, end }) => begin < recovery.end && recovery.begin < end));
    const beforeAttempts = outages
      .filter((outage) => own.some((fault) => fault.kind === "node stopped" && isDuring(outage, fault.begin)))
      .map((outage) => ({ ...outage, node, begin: outage.end, end: outage.end + ISOLATED_MS }));
    const isolated = [...outages, ...cuts, ...recoveries, ...beforeAttempts];
    return [{ begin: Math.min(...own.map(({ begin }) => begin)), isolated }];
  });
}

// --- internal ---

function isDuring({ begin, end }: Interval, time: number): boolean {
  return begin < time && time < end;
}

/** Groups faults that follow each other without a gap. */
function chains(faults: readonly Fault[]): readonly (readonly Fault[])[] {
  const groups: Fault[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const fault of faults.toSorted((one, other) => one.begin - other.begin)) {
    if (fault.begin < end) groups.at(-1)?.push(fault);
    else groups.push([fault]);
    end = Math.max(end, fault.end);
  }
  return groups;
}
