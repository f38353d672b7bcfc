import { type Change, deletionsAmong } from "./history.ts";
import type { Violation } from "./violation.ts";

/**
 * Finds deployments of one site with the same number, and those whose number is not above that of a deployment that was
 * answered before they began. Deleting the site restarts the numbers.
 */
export function findWrongNumbers(changes: readonly Change[]): readonly Violation[] {
  const deletions = deletionsAmong(changes);
  const deployments = changes.filter(({ kind, number }) => kind === "deploy" && number !== undefined);
  deployments.sort((one, other) => one.begin - other.begin);
  return deployments.flatMap((later, index) =>
    deployments.slice(0, index).flatMap((earlier) => {
      const isSame = earlier.number === later.number;
      const isBelow = earlier.end < later.begin && (later.number as number) < (earlier.number as number);
      if (!(isSame || isBelow) || deletions.some((deletion) => mayLieBetween(deletion, earlier, later))) return [];
      const detail = `${later.site}: ${later.mark} at ${later.via} became ${later.number} after ${earlier.mark} at ${earlier.via} had become ${earlier.number}`;
      return [{ kind: "wrong number", at: later.end, detail } as const];
    }),
  );
}

// --- internal ---

/** Deployments that ran at the same time are between no others, but a deletion may have come between them. */
function mayLieBetween(deletion: Change, earlier: Change, later: Change): boolean {
  const end = deletion.outcome === "unknown" ? Number.POSITIVE_INFINITY : deletion.end;
  return deletion.begin < Math.max(earlier.end, later.end) && end > earlier.begin;
}
