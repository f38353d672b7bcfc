import { path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import type { HostingCapability, Site } from "./client/types.ts";
import type { JsonOption } from "./command.ts";
import { UsageError } from "./terminal/errors.ts";
import { confirm } from "./terminal/prompt.ts";
import { printable } from "./terminal/style.ts";
import { type LongOption, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatBytes, formatTime } from "./terminal/units.ts";

const COLUMNS = [
  "NAME",
  "URL",
  "ACCESS",
  { title: "TAGS", optional: true },
  { title: "SIZE", optional: true },
  { title: "VIEWS", optional: true },
  { title: "LAST DEPLOYED", optional: true },
] as const;

export async function listSites(
  terminal: Terminal,
  options: ClientOptions & JsonOption & LongOption & { readonly tag?: string },
): Promise<void> {
  const client = await connect(terminal, options);
  const [found, hosting] = await Promise.all([
    client.list<Site>(options.tag === undefined ? "/sites" : `/sites?tag=${encodeURIComponent(options.tag)}`),
    client.get<HostingCapability>("/capabilities/hosting"),
  ]);
  const sites = found.map((site) => ({ ...site, url: urlOfSite(hosting, site.name) }));
  if (options.json) return terminal.json(sites);
  if (sites.length === 0 && options.tag !== undefined) return terminal.say(`No site has the tag ${options.tag}.`);
  if (sites.length === 0) return terminal.say("No sites yet. Create one: vitrine deploy FOLDER");
  const rows = sites.map((site) => [
    site.name,
    site.url,
    `${site.private ? "private" : "public"}${site.frozen ? ", frozen" : ""}`,
    site.tags.join(", "),
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

export async function tagSite(
  terminal: Terminal,
  name: string,
  tags: readonly string[],
  options: ClientOptions & JsonOption & { readonly clear?: boolean },
): Promise<void> {
  if (Boolean(options.clear) === tags.length > 0)
    throw new UsageError("Give either tags or --clear.", `For example: vitrine sites tag ${name} client docs`);
  const client = await connect(terminal, options);
  const site = await client.put<Site>(path`/sites/${name}/tags`, { tags });
  if (options.json) return terminal.json(site);
  terminal.done(
    site.tags.length === 0 ? `${name} has no tags.` : `${name} has the tags ${printable(site.tags.join(", "))}.`,
  );
}

export async function deleteSite(
  terminal: Terminal,
  name: string,
  options: ClientOptions & { readonly yes?: boolean },
): Promise<void> {
  const client = await connect(terminal, options);
  const question = `Delete ${name} with all its deployments at ${client.server}?`;
  if (!options.yes && !(await confirm(terminal, question, "Confirm with --yes."))) return;
  await client.delete(path`/sites/${name}`);
  terminal.done(`Deleted ${name}.`);
}

export function urlOfSite({ site_url: pattern }: Pick<HostingCapability, "site_url">, name: string): string {
  return pattern.replace("{site}", name);
}
