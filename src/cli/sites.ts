import type { HostingCapability, Site } from "../api/schemas/types.ts";
import { printable } from "../domain/printable.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { renameRemembered } from "./deploying/remembered-site.ts";
import { UsageError } from "./terminal/errors.ts";
import { confirm } from "./terminal/prompt.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatBytes, formatTime } from "./terminal/units.ts";

export async function listSites(
  terminal: Terminal,
  options: ClientListOptions & { readonly tag?: string },
): Promise<void> {
  const client = await connect(terminal, options);
  const [found, hosting] = await Promise.all([
    client.list<Site>(options.tag === undefined ? "/sites" : `/sites?tag=${encodeURIComponent(options.tag)}`),
    client.get<HostingCapability>("/capabilities/hosting"),
  ]);
  const sites = found.map((site) => ({ ...site, url: urlOfSite(hosting, site.name) }));
  const none =
    options.tag === undefined
      ? "No sites yet. Create one: vitrine deploy FOLDER"
      : `No site has the tag ${options.tag}.`;
  printList(terminal, sites, { none, columns: COLUMNS }, options);
  if (options.json) return;
  for (const { name, frozen, expires_at } of sites) {
    if (frozen)
      terminal.say(`${name} is frozen by the operator${frozen.reason ? `: ${printable(frozen.reason)}` : "."}`);
    if (expires_at !== null) terminal.say(`${name} ${expiryWords(expires_at)} on ${formatTime(expires_at)}.`);
  }
}

const COLUMNS: readonly Column<Site & { readonly url: string }>[] = [
  { title: "NAME", value: ({ name }) => name, cut: true },
  { title: "ACCESS", value: (site) => `${site.private ? "private" : "public"}${site.frozen ? ", frozen" : ""}` },
  { title: "URL", value: ({ url }) => url, optional: true },
  { title: "LAST DEPLOYED", value: ({ last_deployed_at }) => formatTime(last_deployed_at), optional: true },
  { title: "VIEWS", value: ({ total_views }) => total_views.toLocaleString("en"), optional: true },
  { title: "SIZE", value: ({ size_bytes }) => (size_bytes === null ? "" : formatBytes(size_bytes)), optional: true },
  { title: "TAGS", value: ({ tags }) => tags.join(", "), cut: 12, optional: true },
];

export async function tagSite(
  terminal: Terminal,
  name: string,
  tags: readonly string[],
  options: ClientOptions & { readonly clear?: boolean },
): Promise<void> {
  if (Boolean(options.clear) === tags.length > 0)
    throw new UsageError("give either tags or --clear", `For example: vitrine sites tag ${name} client docs`);
  const client = await connect(terminal, options);
  const site = await client.put<Site>(path`/sites/${name}/tags`, { tags });
  if (options.json) return terminal.json(site);
  terminal.done(
    site.tags.length === 0 ? `${name} has no tags.` : `${name} has the tags ${printable(site.tags.join(", "))}.`,
  );
}

export async function changeExpiry(
  terminal: Terminal,
  name: string,
  lifetime: string | undefined,
  options: ClientOptions & { readonly never?: boolean },
): Promise<void> {
  if (Boolean(options.never) === (lifetime !== undefined))
    throw new UsageError("give either a time or --never", `For example: vitrine sites expiry ${name} 30d`);
  const client = await connect(terminal, options);
  const change = lifetime === undefined ? { expires_at: null } : { expires_in: lifetime };
  const site = await client.put<Site>(path`/sites/${name}/expiry`, change);
  if (options.json) return terminal.json(site);
  terminal.done(site.expires_at === null ? `${name} stays.` : `${name} expires on ${formatTime(site.expires_at)}.`);
}

/** Renames a site, also in the file that records the site of each deployed path. */
export async function renameSite(
  terminal: Terminal,
  name: string,
  newName: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const site = await client.post<Site>(path`/sites/${name}/rename`, { name: newName });
  const file = await renameRemembered(name, site.name);
  if (options.json) return terminal.json(site);
  terminal.done(`${name} is now called ${site.name}.`);
  if (file !== null) terminal.say(`Changed ${file}.`);
  terminal.say(`For 90 days, requests for ${name} are redirected.`);
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

// --- internal ---

function expiryWords(expiresAt: string): string {
  return Date.parse(expiresAt) > Date.now() ? "expires" : "expired";
}
