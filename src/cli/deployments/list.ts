import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Deployment } from "../client/types.ts";
import { type PageOptions, pageQuery } from "../page.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes, formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints a site's deployments, newest first. */
export async function run(
  terminal: Terminal,
  site: string,
  options: ClientOptions & JsonOption & PageOptions & LongOption,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const deployments = await client.list<Deployment>(path`/sites/${site}/deployments` + page);
  if (options.json) return terminal.json(deployments);
  const rows = deployments.map((deployment) => [
    `${deployment.active ? "*" : " "} ${deployment.deployment_number}`,
    formatTime(deployment.created_at),
    deployment.actor,
    firstLine(deployment.message),
    deployment.file_count.toLocaleString("en"),
    formatBytes(deployment.size_bytes),
    deployment.url,
    deployment.commit ?? "",
    deployment.ref ?? "",
  ]);
  printTable(terminal, COLUMNS, rows, options);
}

const COLUMNS = [
  "  NUMBER",
  "CREATED",
  { title: "BY", cut: true },
  { title: "MESSAGE", cut: true },
  { title: "FILES", optional: true },
  { title: "SIZE", optional: true },
  { title: "URL", optional: true },
  { title: "COMMIT", optional: true },
  { title: "REF", optional: true },
] as const;

/** The subject, where a message was written as one of a commit. */
function firstLine(message: string | null): string {
  return (message ?? "").split("\n", 1)[0] as string;
}
