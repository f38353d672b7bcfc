import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { DeployResult } from "../../api/schemas/types.ts";
import { printable } from "../../domain/printable.ts";
import type { Environment } from "../terminal/terminal.ts";

/** The file that a GitLab job declares under `artifacts: reports: dotenv`. */
const DOTENV = "vitrine.env";

/** Returns the URL that shows the deployment: the alias's, else the preview's, else the site's. */
export function shownUrl(result: DeployResult): string {
  return result.alias_url ?? (result.active ? result.url : result.deployment_url);
}

/** Returns a line of Markdown for the summary of the job and for comments. */
export function summaryOf(result: DeployResult): string {
  const what = result.active ? "deployment" : "preview";
  const site = printable(result.site_name);
  const done = result.unchanged ? `Nothing changed in **${site}**` : `Deployed **${site}**`;
  return `${done}: ${what} ${result.deployment_number} is at <${printable(shownUrl(result))}>\n`;
}

/**
 * Writes the outputs and the summary of a GitHub or Forgejo job, or the dotenv file of a GitLab job. Does nothing
 * elsewhere.
 */
export async function writeJobOutputs(result: DeployResult, env: Environment): Promise<void> {
  const outputs = outputsOf(result);
  const { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, GITLAB_CI: isGitLab, CI_PROJECT_DIR: project } = env;
  if (output) await appendFile(output, lines(outputs));
  if (summary) await appendFile(summary, summaryOf(result));
  if (isGitLab && project) {
    const variables = Object.entries(outputs).map(([name, value]) => [`VITRINE_${name.toUpperCase()}`, value]);
    await appendFile(join(project, DOTENV), lines(Object.fromEntries(variables)));
  }
}

// --- internal ---

/** Returns the outputs of a deployment for later steps of a pipeline. */
function outputsOf(result: DeployResult) {
  return {
    url: printable(shownUrl(result)),
    site_url: printable(result.url),
    deployment_url: printable(result.deployment_url),
    deployment_number: String(result.deployment_number),
    active: String(result.active),
  };
}

/** No value has a line break, because `printable` removes them. */
function lines(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
