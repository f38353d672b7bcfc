import type { Deployment, DeploymentReport, DeployResult } from "../../api/schemas/types.ts";
import { ApiError } from "../client/api-error.ts";
import { type ApiClient, path } from "../client/client.ts";
import { readReport } from "../reporting/read-report.ts";
import { type Gate, whyHeldBack } from "../reporting/verdict.ts";
import { HeldBack, UsageError } from "../terminal/errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { allDeployments } from "./all-deployments.ts";

/** A deployment whose report was read before it went live. */
interface Checked {
  /** The deployment as it is now: active unless it was held back. */
  readonly result: DeployResult;
  readonly report: DeploymentReport;
  /** Null unless the report holds it back. */
  readonly heldBack: HeldBack | null;
}

export interface CheckOptions {
  /** True without a value. */
  readonly check?: string | true;
  readonly checkWarnings?: boolean;
}

/** Deployments that went live while this one was compared. The last comparison counts. */
const MAX_COMPARISONS = 5;

/** Returns the gate that the options ask for; null for none. Throws `UsageError`. */
export function gateOf({ check, checkWarnings = false }: CheckOptions): Gate | null {
  if (check === undefined && !checkWarnings) return null;
  if (check !== undefined && check !== true && check !== "all" && check !== "new") {
    throw new UsageError(
      `--check=${check} is unknown`,
      "Write --check for new errors, or --check=all for old ones too.",
    );
  }
  return { all: check === "all", warnings: checkWarnings };
}

/**
 * Waits for the report of a preview, and activates it unless the report holds it back. `mayActivate` is false if the
 * preview should stay one.
 */
export async function checkDeployment(
  terminal: Terminal,
  client: ApiClient,
  result: DeployResult,
  { gate, mayActivate }: { readonly gate: Gate; readonly mayActivate: boolean },
): Promise<Checked> {
  const report = await readComparedWithLive(terminal, client, result);
  const why = whyHeldBack(result.unchanged ? withoutNew(report) : report, gate);
  if (why !== null) return { result, report, heldBack: heldBack(result, why) };
  const isActivated = mayActivate && !result.active && (await activate(terminal, client, result));
  const shown = isActivated ? { ...result, active: true, expires_at: null } : result;
  return { result: shown, report, heldBack: null };
}

// --- internal ---

/** If another deployment went live meanwhile, the report is compared with that one. */
async function readComparedWithLive(
  terminal: Terminal,
  client: ApiClient,
  { site_name: site, deployment_number: number, active }: DeployResult,
): Promise<DeploymentReport> {
  let report = await readReport(terminal, client, { site, number });
  for (let comparisons = 1; comparisons < MAX_COMPARISONS && report.status === "ready" && !active; comparisons++) {
    const live = await liveNumber(client, site);
    if (live === report.compared_to || live === null || live === number) break;
    report = await readReport(terminal, client, { site, number, comparedWith: live });
  }
  return report;
}

async function liveNumber(client: ApiClient, site: string): Promise<number | null> {
  for await (const { active, deployment_number } of allDeployments(client, site)) if (active) return deployment_number;
  return null;
}

/** The deployment is live already, so nothing in it is new. */
function withoutNew(report: DeploymentReport): DeploymentReport {
  const findings = report.findings.map((finding) => ({ ...finding, new: false }));
  return { ...report, findings, summary: { ...report.summary, new_errors: 0, new_warnings: 0 } };
}

function heldBack({ site_name: site, deployment_number: number, active }: DeployResult, why: string): HeldBack {
  const held = active ? "" : "is held back: it ";
  return new HeldBack(`deployment ${number} of ${site} ${held}${why}`);
}

/** Returns false if the credential may only make previews. */
async function activate(
  terminal: Terminal,
  client: ApiClient,
  { site_name: site, deployment_number: number }: DeployResult,
): Promise<boolean> {
  try {
    await client.post<Deployment>(path`/sites/${site}/deployments/${number}/activate`);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.httpStatus !== 403 || !ONLY_PREVIEWS.test(error.message)) throw error;
    terminal.say(`The site stays as it is: ${error.message}.`);
    return false;
  }
}

/** See `inPlainWords`. */
const ONLY_PREVIEWS = /may only make previews/;
