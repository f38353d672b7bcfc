import { connect } from "../client/connect.ts";
import type { DeploymentToken } from "../client/types.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints the deployment tokens of the caller's sites, without their secrets. */
export async function run(terminal: Terminal, options: ClientOptions & JsonOption & LongOption): Promise<void> {
  const client = await connect(terminal, options);
  const tokens = await client.list<DeploymentToken>("/tokens");
  if (options.json) return terminal.json(tokens);
  if (tokens.length === 0) return terminal.say("No deployment tokens. Create one: vitrine tokens create SITE");
  const rows = tokens.map((token) => [
    token.id,
    token.site_name,
    token.name,
    token.permission,
    formatTime(token.last_used_at),
    formatTime(token.expires_at),
    formatTime(token.created_at),
  ]);
  const columns = [
    "ID",
    { title: "SITE", cut: true },
    { title: "NAME", cut: true },
    { title: "PERMISSION", optional: true },
    { title: "LAST USED", optional: true },
    { title: "EXPIRES", optional: true },
    { title: "CREATED", optional: true },
  ] as const;
  printTable(terminal, columns, rows, options);
}
