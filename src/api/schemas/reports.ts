import { Type as t } from "@sinclair/typebox";
import {
  type ComparedFinding,
  FINDING_CODES,
  type ReportStatus,
  type ReportTotals,
  SEVERITIES,
} from "../../domain/model/report.ts";
import type { DeploymentReport } from "../../domain/report/report-of.ts";
import { namedSchema, oneOf, orNull } from "./values.ts";

const STATUSES = ["pending", "ready", "failed"] as const satisfies readonly ReportStatus[];

const ReportFindingResponse = t.Object(
  {
    code: oneOf(FINDING_CODES),
    severity: oneOf(["error", "warning", "note"]),
    file: t.String(),
    line: t.Integer({ description: "0 for the whole file" }),
    message: t.String(),
    target: orNull(t.String(), {
      description:
        "Path, query and fragment of a URL of the site, the URL of another host, the path of a rule, or the " +
        "start of a secret; null for a finding about the file",
    }),
    new: t.Boolean({ description: "Whether the deployment in `compared_to` does not have it" }),
  },
  { title: "ReportFindingResponse" },
);

export const DeploymentReportResponse = namedSchema(
  "DeploymentReportResponse",
  {
    status: oneOf(STATUSES),
    summary: t.Object(
      {
        errors: t.Integer(),
        warnings: t.Integer(),
        notes: t.Integer(),
        new_errors: t.Integer(),
        new_warnings: t.Integer(),
      },
      { description: "Counts all findings, also those that are not listed" },
    ),
    findings: t.Array(ReportFindingResponse, {
      description: "New errors, errors, warnings and notes, in this order; at most 1,000",
    }),
    totals: t.Object({
      pages: t.Integer(),
      links: t.Integer(),
      bytes: t.Integer(),
      largest: t.Array(t.Object({ path: t.String(), bytes: t.Integer() })),
    }),
    not_checked: t.Integer({ description: "How many files were not checked, or only in part" }),
    compared_to: orNull(t.Integer(), { description: "A deployment's number; null for a site's first one" }),
    truncated: t.Boolean({ description: "Whether there are more findings than listed" }),
  },
  {
    status: "ready",
    summary: { errors: 1, warnings: 0, notes: 0, new_errors: 1, new_warnings: 0 },
    findings: [
      {
        code: "broken_link",
        severity: "error",
        file: "blog/hello.html",
        line: 12,
        message: "/contact answers 404",
        target: "/contact",
        new: true,
      },
    ],
    totals: { pages: 12, links: 231, bytes: 482133, largest: [{ path: "photo.jpg", bytes: 311204 }] },
    not_checked: 0,
    compared_to: 2,
    truncated: false,
  },
);

/** More are read by nobody, and cost a megabyte. */
const MAX_LISTED = 1000;

export function deploymentReportResponse({
  status,
  comparedTo,
  report,
}: DeploymentReport): typeof DeploymentReportResponse.static {
  const { counts, newErrors = 0, newWarnings = 0, findings = [], totals = NO_TOTALS, notChecked = 0 } = report ?? {};
  const { error = 0, warning = 0, note = 0 } = counts ?? {};
  const listed = newErrorsFirst(findings).slice(0, MAX_LISTED);
  return {
    status,
    summary: { errors: error, warnings: warning, notes: note, new_errors: newErrors, new_warnings: newWarnings },
    findings: listed.map(findingResponse),
    totals: { ...totals, largest: [...totals.largest] },
    not_checked: notChecked,
    compared_to: comparedTo,
    truncated: error + warning + note > listed.length,
  };
}

// --- internal ---

const NO_TOTALS: ReportTotals = { pages: 0, links: 0, bytes: 0, largest: [] };

/** The findings are ordered by severity already. */
function newErrorsFirst(findings: readonly ComparedFinding[]): readonly ComparedFinding[] {
  const isFirst = ({ code, isNew }: ComparedFinding) => isNew && SEVERITIES[code] === "error";
  return [...findings.filter(isFirst), ...findings.filter((finding) => !isFirst(finding))];
}

function findingResponse({ code, file, line, message, target, isNew }: ComparedFinding) {
  return { code, severity: SEVERITIES[code], file, line, message, target, new: isNew };
}
