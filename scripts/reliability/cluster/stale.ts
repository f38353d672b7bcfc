import { type LostContact, lostContacts } from "./contact.ts";
import { BALANCER } from "./failures.ts";
import type { Change, Fault, History, Visit } from "./history.ts";
import { newRegister, type Register, type Write } from "./register.ts";
import type { Violation } from "./violation.ts";

const NO_SITE = "no site";

/** What visitors can see of a site. */
interface SiteRegisters {
  /** The mark of the active deployment, or `NO_SITE`. */
  readonly content: Register<string>;
  readonly frozen: Register<boolean>;
}

/** Finds visits that show what an answered change had replaced before they began. */
export function findStaleVisits(
  { visits, faults }: Pick<History, "visits" | "faults">,
  changesOf: (site: string) => readonly Change[],
): readonly Violation[] {
  const contactsLostBefore = newContacts(faults);
  return [...Map.groupBy(visits, ({ site }) => site)].flatMap(([site, visitsOfSite]) => {
    const registers = registersOf(changesOf(site), visitsOfSite);
    return visitsOfSite.flatMap((visit) => {
      const missed = missedBy(registers, visit);
      if (missed === null || contactsLostBefore(visit).some((lost) => excuses(lost, visit, missed))) return [];
      return [{ kind: "stale visit", at: visit.begin, detail: describe(visit, missed) } as const];
    });
  });
}

// --- internal ---

function registersOf(changes: readonly Change[], visits: readonly Visit[]): SiteRegisters {
  const firstSeen = firstSightings(visits);
  const happened = changes.filter(({ outcome }) => outcome !== "refused");
  const write = <T>(change: Change, value: T): Write<T> => ({
    value,
    begin: change.begin,
    end: change.outcome === "unknown" ? endOfUnknown(change, firstSeen) : change.end,
    isPromised: change.outcome === "done",
  });
  const content = happened.flatMap((change) => {
    if (change.kind === "delete") return [write(change, NO_SITE)];
    return change.mark === undefined ? [] : [write(change, change.mark)];
  });
  const frozen = happened.flatMap((change) => {
    if (change.kind === "freeze") return [write(change, true)];
    return change.kind === "unfreeze" || change.kind === "delete" ? [write(change, false)] : [];
  });
  return { content: newRegister<string>(NO_SITE, content), frozen: newRegister<boolean>(false, frozen) };
}

/** A deployment that somebody has seen was made, whatever was answered. Whether an activation was, a mark cannot show. */
function endOfUnknown({ kind, mark = "" }: Change, firstSeen: ReadonlyMap<string, number>): number {
  return (kind === "deploy" ? firstSeen.get(mark) : undefined) ?? Number.POSITIVE_INFINITY;
}

/** Returns when the first visit ended that showed each mark. */
function firstSightings(visits: readonly Visit[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const { saw, end } of visits) {
    if (saw.kind === "page") ends.set(saw.mark, Math.min(end, ends.get(saw.mark) ?? end));
  }
  return ends;
}

function missedBy({ content, frozen }: SiteRegisters, visit: Visit): Write<string | boolean> | null {
  switch (visit.saw.kind) {
    case "page":
      return content.missedBy(visit, visit.saw.mark) ?? frozen.missedBy(visit, false);
    case "no site":
    case "no file":
      return content.missedBy(visit, NO_SITE);
    case "frozen":
      return frozen.missedBy(visit, true);
    case "shared":
      return frozen.missedBy(visit, false);
    default:
      return null;
  }
}

/** The balancer asks every node twice a second whether it is ready. On a busy machine the responses are late. */
const NOTICED_MS = 1000;

/** Returns a function that returns when the node of a visit had lost contact and may be asked nevertheless. */
function newContacts(faults: readonly Fault[]): (visit: Visit) => readonly LostContact[] {
  const known = new Map<string, readonly LostContact[]>();
  const lostBy = (node: string): readonly LostContact[] => {
    const lost = known.get(node) ?? lostContacts(faults, node);
    known.set(node, lost);
    return lost;
  };
  return ({ via, by }) => {
    if (via !== BALANCER) return lostBy(via);
    // The balancer asks a node that cannot reach the database only while it knows none that can.
    if (by === undefined || by.isReady) return [];
    return lostBy(by.node).map(({ begin, isolated }) => ({
      begin,
      isolated: isolated
        .filter(({ node }) => node === null)
        .map((outage) => ({ ...outage, end: outage.end + NOTICED_MS })),
    }));
  };
}

/** A node that cannot reach the database may show what was before changes that were answered since it lost contact. */
function excuses({ begin, isolated }: LostContact, visit: Visit, missed: Write<string | boolean>): boolean {
  return missed.end > begin && isolated.some((time) => visit.begin < time.end && visit.end > time.begin);
}

function describe({ site, via, by, saw, begin, end }: Visit, missed: Write<string | boolean>): string {
  const where = by ? `${via} (${by.node}, ${by.isReady ? "ready" : "not ready"})` : via;
  const shown = saw.kind === "page" ? saw.mark : saw.kind;
  const change = `${nameOf(missed)} was answered at ${Math.round(missed.end)}`;
  return `${site} at ${where} showed ${shown} from ${Math.round(begin)} to ${Math.round(end)}, but ${change}`;
}

function nameOf({ value }: Write<string | boolean>): string {
  return typeof value === "string" ? value : value ? "frozen" : "not frozen";
}
