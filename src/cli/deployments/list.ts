import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Deployment } from "../client/types.ts";
import { table } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes, formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

interface Options extends ClientOptions, JsonOption {
  readonly limit?: string;
  readonly before?: string;
}

/** Prints a site's deployments, newest first. */
export async function run(terminal: Terminal, site: string, options: Options): Promise<void> {
  const client = await connect(terminal, options);
  const query = new URLSearchParams();
  if (options.limit !== undefined) query.set("limit", options.limit);
  if (options.before !== undefined) query.set("before", options.before);
  const page = query.size > 0 ? `?${query}` : "";
  const deployments = await client.get<readonly Deployment[]>(path`/sites/${site}/deployments` + page);
  if (options.json) return terminal.data(JSON.stringify(deployments, null, 2));
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
