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
  const cuts = faults.filter(({ kind }) => kind === "node without database");
  return [...Map.groupBy(visits, ({ site }) => site)].flatMap(([site, visitsOfSite]) => {
    const registers = registersOf(changesOf(site), visitsOfSite);
    return visitsOfSite.flatMap((visit) => {
      const missed = missedBy(registers, visit);
      if (missed === null || cuts.some((cut) => excuses(cut, visit, missed))) return [];
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

/** A node that cannot reach the database may show what was before changes that were answered since. */
function excuses(cut: Fault, visit: Visit, missed: Write<string | boolean>): boolean {
  return cut.node === visit.via && visit.begin < cut.end && visit.end > cut.begin && missed.end > cut.begin;
}

function describe({ site, via, saw, begin, end }: Visit, missed: Write<string | boolean>): string {
  const shown = saw.kind === "page" ? saw.mark : saw.kind;
  const change = `${nameOf(missed)} was answered at ${Math.round(missed.end)}`;
  return `${site} at ${via} showed ${shown} from ${Math.round(begin)} to ${Math.round(end)}, but ${change}`;
}

function nameOf({ value }: Write<string | boolean>): string {
  return typeof value === "string" ? value : value ? "frozen" : "not frozen";
}
