import type { DeploymentReport } from "../../api/schemas/types.ts";
import { count } from "../terminal/units.ts";

/** What holds a deployment back besides new errors. */
export interface Gate {
  /** Old findings count too. */
  readonly all: boolean;
  readonly warnings: boolean;
}

/**
 * Returns why a deployment is held back, in words that follow its number; null if it is not. The summary counts all
 * errors. New warnings are counted among the listed findings, of which there are enough before the list is cut.
 */
export function whyHeldBack({ status, summary, findings }: DeploymentReport, gate: Gate): string | null {
  if (status === "failed") return "has no report, because it could not be made";
  if (status === "pending") return "has no report after five minutes";
  const errors = gate.all ? summary.errors : summary.new_errors;
  const newWarnings = findings.filter((finding) => finding.severity === "warning" && finding.new).length;
  const warnings = gate.all ? summary.warnings : newWarnings;
  const kind = gate.all ? "" : "new ";
  const held = [
    errors > 0 ? count(errors, `${kind}error`) : "",
    gate.warnings && warnings > 0 ? count(warnings, `${kind}warning`) : "",
  ].filter((text) => text !== "");
  return held.length === 0 ? null : `has ${held.join(" and ")}`;
}
