import { appendFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { DeploymentReport, ReportFinding } from "../../api/schemas/types.ts";
import { printable } from "../../domain/printable.ts";
import { newFirst, placeOf } from "../../domain/report/shown-findings.ts";
import type { Environment, Terminal } from "../terminal/terminal.ts";
import { summaryLine } from "./print-report.ts";

/** GitHub shows this many annotations of a step, for each severity. */
const MAX_ANNOTATIONS = 10;
/** A summary is read by people. */
const MAX_LISTED = 20;
/** The file that a GitLab job declares under `artifacts: reports: codequality`. */
const CODE_QUALITY = "gl-code-quality-report.json";

/**
 * Shows the findings where a CI job shows them: annotations on GitHub and Forgejo, the code quality report on GitLab.
 * `folder` is the deployed folder, so that files are found in the repository; empty for an archive.
 */
export async function annotate(terminal: Terminal, report: DeploymentReport, folder: string): Promise<void> {
  const findings = newFirst(report.findings).filter(({ severity }) => severity !== "note");
  const { GITHUB_ACTIONS: isGitHub, GITLAB_CI: isGitLab, CI_PROJECT_DIR: project } = terminal.env;
  if (isGitHub) for (const line of annotations(findings, folder)) terminal.say(line);
  if (isGitLab && project) {
    await writeFile(
      join(project, CODE_QUALITY),
      JSON.stringify(
        findings.map((one) => quality(one, folder)),
        null,
        2,
      ),
    );
  }
}

/** Adds the report to the summary of a GitHub or Forgejo job. Does nothing elsewhere. */
export async function summarize(
  report: DeploymentReport,
  { GITHUB_STEP_SUMMARY: summary }: Environment,
): Promise<void> {
  if (summary) await appendFile(summary, `\n${markdownOf(report)}`);
}

/** Returns a report in Markdown, for the summary of a job and for comments. */
export function markdownOf(report: DeploymentReport): string {
  const listed = newFirst(report.findings).filter(({ severity }) => severity !== "note");
  const lines = listed.slice(0, MAX_LISTED).map((finding) => {
    const mark = finding.new ? "**new** " : "";
    return `- ${mark}\`${finding.code}\` ${code(placeOf(finding))}: ${code(finding.message)}`;
  });
  const left = report.summary.errors + report.summary.warnings - lines.length;
  const more = left > 0 ? [`- … and ${left} more`] : [];
  return `${[summaryLine(report), "", ...lines, ...more].join("\n").trimEnd()}\n`;
}

// --- internal ---

function annotations(findings: readonly ReportFinding[], folder: string): readonly string[] {
  return (["error", "warning"] as const).flatMap((severity) =>
    findings
      .filter((finding) => finding.severity === severity)
      .slice(0, MAX_ANNOTATIONS)
      .map((finding) => {
        const { code, line, message } = finding;
        const place = [`file=${property(inFolder(finding, folder))}`, ...(line > 0 ? [`line=${line}`] : [])];
        return `::${severity} ${place.join(",")},title=${property(code)}::${escaped(printable(message))}`;
      }),
  );
}

/** Workflow commands are lines, and their properties are separated by commas. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return escaped(printable(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function quality(finding: ReportFinding, folder: string) {
  const { code, severity, file, line, message, target } = finding;
  return {
    check_name: code,
    description: message,
    // The same finding keeps it when lines move.
    fingerprint: `${code} ${file} ${target}`,
    severity: severity === "error" ? "major" : "minor",
    location: { path: inFolder(finding, folder), lines: { begin: Math.max(1, line) } },
  };
}

function inFolder({ file }: ReportFinding, folder: string): string {
  return posix.join(folder.replaceAll("\\", "/"), file);
}

/** A name of a file can contain anything; in a code span only backticks have a meaning. */
function code(text: string): string {
  return `\`${printable(text).replaceAll("`", "'")}\``;
}
