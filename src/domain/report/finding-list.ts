import { type Finding, type MadeReport, SEVERITIES, type Severity } from "../model/report.ts";

/** Findings of each severity that are kept for comparisons: a few megabytes in memory, and a tenth of that in a row. */
const MAX_KEPT = 5000;

const ORDER: readonly Severity[] = ["error", "warning", "note"];

/** Collects findings, of which it keeps a bounded number of each severity, and counts all. */
export class FindingList {
  readonly #kept: Record<Severity, Finding[]> = { error: [], warning: [], note: [] };
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0, note: 0 };

  add(finding: Finding): void {
    const severity = SEVERITIES[finding.code];
    this.#counts[severity] += 1;
    if (this.#kept[severity].length < MAX_KEPT) this.#kept[severity].push(finding);
  }

  /** True if there were more findings than are kept. */
  get isCut(): boolean {
    return ORDER.some((severity) => this.#counts[severity] > this.#kept[severity].length);
  }

  result(): Pick<MadeReport, "counts" | "findings"> {
    const findings = ORDER.flatMap((severity) => this.#kept[severity].toSorted(byPlace));
    return { counts: { ...this.#counts }, findings };
  }
}

// --- internal ---

function byPlace(one: Finding, other: Finding): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line;
}
