import {
  type ComparedFinding,
  type ComparedReport,
  type Finding,
  type MadeReport,
  SEVERITIES,
  type Severity,
} from "../model/report.ts";

/**
 * Marks the findings that a former deployment does not have; all of them if it is null. Each former finding excuses one
 * with the same code and target: in the same file first, then in any other, because files are renamed and links move
 * from one page to another.
 */
export function compareReports(report: MadeReport, former: MadeReport | null): ComparedReport {
  const findings = markNew(report.findings, former?.findings ?? []);
  const countNew = (severity: Severity): number => {
    const kept = findings.filter(({ code, isNew }) => isNew && SEVERITIES[code] === severity).length;
    // Of the others only the number is known. A former one excuses one of them.
    const others = countNotKept(report, severity) - (former ? countNotKept(former, severity) : 0);
    return kept + Math.max(0, others);
  };
  return { ...report, findings, newErrors: countNew("error"), newWarnings: countNew("warning") };
}

// --- internal ---

function markNew(findings: readonly Finding[], former: readonly Finding[]): readonly ComparedFinding[] {
  const inFile = new Tally(former.map(keyInFile));
  const anywhere = new Tally(former.map(keyAnywhere));
  const excused = new Set<Finding>();
  for (const finding of findings) {
    if (!inFile.take(keyInFile(finding))) continue;
    anywhere.take(keyAnywhere(finding));
    excused.add(finding);
  }
  return findings.map((finding) => {
    const isKnown = excused.has(finding) || anywhere.take(keyAnywhere(finding));
    return { ...finding, isNew: !isKnown };
  });
}

/** Counts keys that are taken one at a time. */
class Tally {
  readonly #left = new Map<string, number>();

  constructor(keys: readonly string[]) {
    for (const key of keys) this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
  }

  /** Returns whether one was left. */
  take(key: string): boolean {
    const left = this.#left.get(key) ?? 0;
    if (left > 0) this.#left.set(key, left - 1);
    return left > 0;
  }
}

function keyAnywhere({ code, target }: Finding): string {
  return `${code} ${target}`;
}

function keyInFile(finding: Finding): string {
  return `${finding.file}\n${keyAnywhere(finding)}`;
}

function countNotKept({ counts, findings }: MadeReport, severity: Severity): number {
  return counts[severity] - findings.filter(({ code }) => SEVERITIES[code] === severity).length;
}
