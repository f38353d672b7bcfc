import { type Change, deletionsAmong, type FoundSite } from "./history.ts";
import type { Violation } from "./violation.ts";

/** Compares the final state with the answers to all changes. */
export function findLosses(
  found: readonly FoundSite[],
  changesOf: (site: string) => readonly Change[],
): readonly Violation[] {
  return found.flatMap((site) => [...lost(site, changesOf(site.site)), ...invented(site, changesOf(site.site))]);
}

// --- internal ---

/** Deployments that were answered, with no deletion that may have followed, and are not there. */
function lost({ site, deployments }: FoundSite, changes: readonly Change[]): readonly Violation[] {
  const deletions = deletionsAmong(changes);
  const isKept = (change: Change) =>
    change.kind === "deploy" &&
    change.number !== undefined &&
    !deletions.some(({ end, outcome }) => outcome === "unknown" || end > change.begin);
  return changes.filter(isKept).flatMap(({ number = 0, mark, end }) => {
    const shown = deployments.get(number);
    if (shown === mark) return [];
    return [
      { kind: "lost change", at: end, detail: `${site}: deployment ${number} is ${shown}, not ${mark}` } as const,
    ];
  });
}

/** Deployments that nobody asked for, or that were refused, and archives that were deployed twice. */
function invented({ site, deployments }: FoundSite, changes: readonly Change[]): readonly Violation[] {
  const asked = new Map(changes.flatMap((change) => (change.kind === "deploy" ? [[change.mark, change]] : [])));
  const seen = new Set<string>();
  return [...deployments].flatMap(([number, mark]) => {
    const deploy = asked.get(mark);
    const isTwice = seen.has(mark);
    seen.add(mark);
    if (deploy !== undefined && deploy.outcome !== "refused" && !isTwice) return [];
    const why = isTwice ? "is there twice" : deploy === undefined ? "was never sent" : "was refused";
    const detail = `${site}: deployment ${number} is ${mark}, which ${why}`;
    return [{ kind: "invented change", at: deploy?.end ?? 0, detail } as const];
  });
}
