import { connect } from "../client/connect.ts";
import type { Site } from "../client/types.ts";
import { printable } from "../terminal/style.ts";
import { table } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes, formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints the caller's sites. */
export async function run(terminal: Terminal, options: ClientOptions & JsonOption): Promise<void> {
  const client = await connect(terminal, options);
  const sites = await client.list<Site>("/sites");
  if (options.json) return terminal.json(sites);
  if (sites.length === 0) return terminal.say("No sites yet. Make one: vitrine deploy FOLDER");
  const rows = sites.map((site) => [
    site.name,
    `${site.private ? "private" : "public"}${site.frozen ? ", frozen" : ""}`,
    site.size_bytes === null ? "-" : formatBytes(site.size_bytes),
    site.total_views.toLocaleString("en"),
    formatTime(site.last_deployed_at),
  ]);
  const frozen = sites.filter((site) => site.frozen);
  terminal.data(table(terminal.dataStyle, ["NAME", "ACCESS", "SIZE", "VIEWS", "DEPLOYED"], rows));
  for (const { name, frozen: freeze } of frozen) {
    terminal.say(`${name} is frozen by the operator${freeze?.reason ? `: ${printable(freeze.reason)}` : "."}`);
  }
}
