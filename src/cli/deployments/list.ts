import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Deployment } from "../client/types.ts";
import { type PageOptions, pageQuery } from "../page.ts";
import { table } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes, formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints a site's deployments, newest first. */
export async function run(
  terminal: Terminal,
  site: string,
  options: ClientOptions & JsonOption & PageOptions,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const deployments = await client.list<Deployment>(path`/sites/${site}/deployments` + page);
  if (options.json) return terminal.json(deployments);
  const rows = deployments.map((deployment) => [
    `${deployment.active ? "*" : " "} ${deployment.deployment_number}`,
    formatTime(deployment.created_at),
    deployment.actor,
    deployment.file_count.toLocaleString("en"),
    formatBytes(deployment.size_bytes),
    deployment.url,
  ]);
  terminal.data(table(terminal.dataStyle, ["  NUMBER", "DEPLOYED", "BY", "FILES", "SIZE", "ADDRESS"], rows));
}
