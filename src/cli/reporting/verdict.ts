import type { DeploymentReport } from "../../api/schemas/types.ts";
import { count } from "../terminal/units.ts";

/** What holds a deployment back besides new errors. */
export interface Gate {
  /** Old findings count too. */
  readonly all: boolean;
  readonly warnings: boolean;
}

/** Returns why a deployment is held back, in words that follow its number; null if it is not. */
export function whyHeldBack({ status, summary }: DeploymentReport, gate: Gate): string | null {
  if (status === "failed") return "has no report, because it could not be made";
  if (status === "pending") return "has no report after five minutes";
  const errors = gate.all ? summary.errors : summary.new_errors;
  const warnings = gate.all ? summary.warnings : summary.new_warnings;
  const kind = gate.all ? "" : "new ";
  const held = [
    errors > 0 ? count(errors, `${kind}error`) : "",
    gate.warnings && warnings > 0 ? count(warnings, `${kind}warning`) : "",
  ].filter((text) => text !== "");
  return held.length === 0 ? null : `has ${held.join(" and ")}`;
}
