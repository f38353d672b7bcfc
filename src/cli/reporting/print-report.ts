import type { DeploymentReport, ReportFinding } from "../../api/schemas/types.ts";
import { printable } from "../../domain/printable.ts";
import { newFirst, placeOf } from "../../domain/report/shown-findings.ts";
import type { Style } from "../terminal/style.ts";
import { count } from "../terminal/units.ts";

/** Returns the lines of a report for people: its counts, then the findings, new ones first. `most` bounds them. */
export function reportLines(
  style: Style,
  report: DeploymentReport,
  most = Number.POSITIVE_INFINITY,
): readonly string[] {
  const ordered = newFirst(report.findings);
  const shown = ordered.slice(0, most);
  const { errors, warnings, notes } = report.summary;
  const left = errors + warnings + notes - shown.length;
  return [
    summaryLine(report),
    ...shown.map((finding) => findingLine(style, finding)),
    ...(left > 0 ? [style.dim(`… and ${count(left, "more finding")}`)] : []),
    ...(report.not_checked > 0 ? [`Not checked as a whole: ${count(report.not_checked, "file")}.`] : []),
  ];
}

/** Returns the counts of a report in one line. */
export function summaryLine({ status, summary, compared_to, totals }: DeploymentReport): string {
  if (status !== "ready")
    return status === "pending" ? "The report is not ready yet." : "The report could not be made.";
  const { errors, warnings, notes, new_errors } = summary;
  const compared = compared_to === null || errors === 0 ? "" : ` (${new_errors} new since deployment ${compared_to})`;
  const checked = `${count(totals.pages, "page")} with ${count(totals.links, "link")}`;
  const found = `${count(errors, "error")}${compared}, ${count(warnings, "warning")}, ${count(notes, "note")}`;
  return `Checked ${checked}: ${found}.`;
}

// --- internal ---

function findingLine(style: Style, finding: ReportFinding): string {
  const { severity, code, message } = finding;
  const paint = severity === "error" ? style.red : severity === "warning" ? style.yellow : style.dim;
  const mark = finding.new ? style.bold("new ") : "";
  return `  ${mark}${paint(code)} ${printable(placeOf(finding))}: ${printable(message)}`;
}
