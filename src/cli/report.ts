import type { Deployment } from "../api/schemas/types.ts";
import { deploymentNumber } from "./arguments.ts";
import { type ApiClient, path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import { reportLines } from "./reporting/print-report.ts";
import { readReport } from "./reporting/read-report.ts";
import { Failure } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Prints the report of a deployment, by default the newest. Waits until it is made. */
export async function printReport(
  terminal: Terminal,
  site: string,
  named: string | undefined,
  options: ClientOptions,
): Promise<void> {
  const wanted = named === undefined ? null : deploymentNumber(named);
  const client = await connect(terminal, options);
  const number = wanted ?? (await newestNumber(client, site));
  const report = await readReport(terminal, client, { site, number });
  if (options.json) return terminal.json(report);
  for (const line of reportLines(terminal.dataStyle, report)) terminal.data(line);
}

// --- internal ---

async function newestNumber(client: ApiClient, site: string): Promise<number> {
  const [newest] = await client.list<Deployment>(path`/sites/${site}/deployments?limit=1`);
  if (newest) return newest.deployment_number;
  throw new Failure(`${site} has no deployment`, `Deploy to it: vitrine deploy PATH --site ${site}`);
}
