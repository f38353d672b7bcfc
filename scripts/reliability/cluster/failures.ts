import { newCacheKnowledge } from "./cached.ts";
import type { Change, Fault, FaultKind, History, Visit } from "./history.ts";
import type { Violation } from "./violation.ts";

/** The name of the balancer where a node's name stands. */
export const BALANCER = "balancer";

/** Faults of a node during which requests sent to that node itself may fail. */
const OF_NODE: readonly FaultKind[] = ["node killed", "node stopped", "node drained", "node without visitors"];
/** Faults of a node that only the balancer's checks detect. Once they are lifted, the node answers. */
const SILENT: readonly FaultKind[] = ["node stopped", "node without visitors"];
/** Faults during which visits of what a node has not cached may fail. */
const OF_S3: readonly FaultKind[] = ["S3 stopped", "node without S3"];
const OF_OUTAGE: readonly FaultKind[] = ["database killed", "database stopped"];
const OF_DATABASE: readonly FaultKind[] = [...OF_OUTAGE, "node without database"];

/**
 * A node is ready for the rest of its lease although it was cut off from the database, and lost packets are sent again
 * after pauses that grow.
 */
const RECONNECTED_MS = 3000;

/** Two checks of the balancer, a second apart, with their time limit. */
const DETECTED_MS = 5000;

/** Finds wrong or missing content, and failures that no fault excuses. */
export function findFailures(history: Omit<History, "found">): readonly Violation[] {
  const { changes, visits, faults } = history;
  const nodes = [...new Set(visits.map(({ via }) => via))].filter((via) => via !== BALANCER);
  const isCachedAt = newCacheKnowledge(history);
  const isCached = (visit: Visit) =>
    visit.via === BALANCER ? nodes.every((node) => isCachedAt(node, visit)) : isCachedAt(visit.via, visit);
  const isExcused = (visit: Visit) =>
    faults.some((fault) => excusesVisit(fault, visit, isCached) || excusesBalancer(fault, visit, faults));
  return [
    ...visits.flatMap((visit) => failureOf(visit, isExcused)),
    ...changes
      .filter((change) => isFailed(change) && !faults.some((fault) => excusesChange(fault, change)))
      .map(asFailed),
  ];
}

// --- internal ---

function failureOf(visit: Visit, isExcused: (visit: Visit) => boolean): readonly Violation[] {
  const { saw, site, via, path, begin, end } = visit;
  const when = `${site}${path} at ${via} from ${Math.round(begin)} to ${Math.round(end)}`;
  if (saw.kind === "damaged") return [{ kind: "missing content", at: begin, detail: `${when}: ${saw.detail}` }];
  if (saw.kind !== "failed" || isExcused(visit)) return [];
  return [{ kind: "failed visit", at: begin, detail: `${when}: ${saw.detail}` }];
}

/** Without the database, every node serves all files, because it knows where in the bucket they are. */
function excusesVisit(fault: Fault, visit: Visit, isCached: (visit: Visit) => boolean): boolean {
  if (!overlap(fault, visit)) return false;
  const { kind, node, begin, lifted } = fault;
  const isItsOwn = node === null || node === visit.via;
  // Once a stopped node runs again, its open requests to S3 time out.
  const isOfS3 = OF_S3.includes(kind) || (kind === "node stopped" && visit.end > lifted);
  if (isOfS3 && (isItsOwn || visit.via === BALANCER) && !isCached(visit)) return true;
  if (visit.via === BALANCER) return SILENT.includes(kind) && visit.begin < begin + DETECTED_MS;
  return OF_NODE.includes(kind) && isItsOwn && !(SILENT.includes(kind) && visit.begin > lifted);
}

/** When the database is back, one node is ready first. If it dies, the balancer has no other for a moment. */
function excusesBalancer({ kind, begin }: Fault, visit: Visit, faults: readonly Fault[]): boolean {
  if (visit.via !== BALANCER || kind !== "node killed") return false;
  if (visit.end < begin || visit.begin > begin + DETECTED_MS) return false;
  return faults.some((fault) => OF_OUTAGE.includes(fault.kind) && fault.lifted < begin && begin < fault.end);
}

function isFailed({ status }: Change): boolean {
  return status === null || status >= 500;
}

/** A change needs its node, the database and S3; other nodes that are dead or cut off only delay it. */
function excusesChange(fault: Fault, change: Change): boolean {
  const concerns = fault.node === null || fault.node === change.via || change.via === BALANCER;
  const end = fault.kind === "node without database" ? Math.max(fault.end, fault.lifted + RECONNECTED_MS) : fault.end;
  return overlap({ ...fault, end }, change) && concerns && [...OF_NODE, ...OF_S3, ...OF_DATABASE].includes(fault.kind);
}

function asFailed({ kind, site, via, begin, end, status, response = "" }: Change): Violation {
  const what = `${kind} of ${site} at ${via} from ${Math.round(begin)} to ${Math.round(end)}`;
  return { kind: "failed change", at: begin, detail: `${what} was answered ${status}: ${response}` };
}

function overlap(one: { begin: number; end: number }, other: { begin: number; end: number }): boolean {
  return one.begin < other.end && other.begin < one.end;
}
