import { connect } from "../client/connect.ts";
import type { DeploymentToken } from "../client/types.ts";
import { table } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints the deployment tokens of the caller's sites, without their secrets. */
export async function run(terminal: Terminal, options: ClientOptions & JsonOption): Promise<void> {
  const client = await connect(terminal, options);
  const tokens = await client.list<DeploymentToken>("/tokens");
  if (options.json) return terminal.json(tokens);
  if (tokens.length === 0) return terminal.say("No deployment tokens. Make one: vitrine tokens create SITE");
  const rows = tokens.map((token) => [
    token.id,
    token.site_name,
    token.name,
    formatTime(token.created_at),
    formatTime(token.last_used_at),
    formatTime(token.expires_at),
  ]);
  terminal.data(table(terminal.dataStyle, ["ID", "SITE", "NAME", "CREATED", "LAST USED", "EXPIRES"], rows));
}
