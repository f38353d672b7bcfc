import { connect } from "../client/connect.ts";
import type { HostingCapability, Site } from "../client/types.ts";
import { printable } from "../terminal/style.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes, formatTime } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { urlOfSite } from "./url.ts";

const COLUMNS = [
  "NAME",
  "URL",
  "ACCESS",
  { title: "SIZE", optional: true },
  { title: "VIEWS", optional: true },
  { title: "LAST DEPLOYED", optional: true },
] as const;

/** Prints the caller's sites. */
export async function run(terminal: Terminal, options: ClientOptions & JsonOption & LongOption): Promise<void> {
  const client = await connect(terminal, options);
  const [found, hosting] = await Promise.all([
    client.list<Site>("/sites"),
    client.get<HostingCapability>("/capabilities/hosting"),
  ]);
  const sites = found.map((site) => ({ ...site, url: urlOfSite(hosting, site.name) }));
  if (options.json) return terminal.json(sites);
  if (sites.length === 0) return terminal.say("No sites yet. Create one: vitrine deploy FOLDER");
  const rows = sites.map((site) => [
    site.name,
    site.url,
    `${site.private ? "private" : "public"}${site.frozen ? ", frozen" : ""}`,
    site.size_bytes === null ? "" : formatBytes(site.size_bytes),
    site.total_views.toLocaleString("en"),
    formatTime(site.last_deployed_at),
  ]);
  printTable(terminal, COLUMNS, rows, options);
  for (const { name, frozen } of sites) {
    if (frozen)
      terminal.say(`${name} is frozen by the operator${frozen.reason ? `: ${printable(frozen.reason)}` : "."}`);
  }
}
