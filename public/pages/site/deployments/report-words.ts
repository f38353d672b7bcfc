import { newFirst } from "../../../../src/domain/report/shown-findings.ts";
import type { DeploymentReport, ReportFinding } from "../../../api/types.ts";
import { count } from "../../../format.ts";

/** The names of findings for people. Codes of later versions are shown as they are. */
const NAMES: Readonly<Record<string, string>> = {
  broken_link: "Broken link",
  missing_asset: "Missing file",
  wrong_case: "Wrong case",
  broken_fragment: "Broken fragment",
  redirect_loop: "Redirect loop",
  link_to_redirect: "Link to a redirect",
  mixed_content: "Mixed content",
  local_address: "Local URL",
  canonical_mismatch: "Canonical URL",
  rule_never_matches: "Unused rule",
  secret: "Secret",
  answered_by_fallback: "Answered by the fallback",
  relative_in_substitute: "Relative link",
  not_checked: "Not checked",
};

export function nameOf(code: string): string {
  return NAMES[code] ?? code;
}

/** Returns the findings with new ones first, and only those of a code unless it is empty. */
export function shownOf(findings: readonly ReportFinding[], code: string): readonly ReportFinding[] {
  return newFirst(findings.filter((finding) => code === "" || finding.code === code));
}

/** Returns the codes among findings with their numbers, in the order of the findings. */
export function codesOf(findings: readonly ReportFinding[]): readonly (readonly [code: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { code } of findings) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts];
}

/** Returns the result in a few words, with its tone. */
export function resultOf({ status, summary }: DeploymentReport): {
  readonly text: string;
  readonly tone: "good" | "warn" | "bad" | "muted";
} {
  const { errors, warnings, new_errors } = summary;
  if (status === "pending") return { text: "Checking links …", tone: "muted" };
  if (status === "failed") return { text: "Could not be made", tone: "muted" };
  const fresh = new_errors === 0 ? "" : new_errors === errors ? ", all new" : `, ${new_errors} new`;
  if (errors > 0) return { text: `${count(errors, "error")}${fresh}`, tone: "bad" };
  if (warnings > 0) return { text: count(warnings, "warning"), tone: "warn" };
  return { text: "No errors", tone: "good" };
}

/** Returns the URL of a target at a deployment's own host, to be explained; null if it is of another host or no URL. */
export function explainable(deploymentUrl: string, { code, target }: ReportFinding): string | null {
  if (target === null || !target.startsWith("/") || code === "rule_never_matches") return null;
  return new URL(target.replace(/#.*/s, ""), deploymentUrl).href;
}
