import { createHash } from "node:crypto";
import type { Alias, Deployment } from "../api/schemas/types.ts";
import { requireAliasLabel } from "../domain/deployments/alias-label.ts";
import { printable } from "../domain/printable.ts";
import { deploymentNumber } from "./arguments.ts";
import { ApiError } from "./client/api-error.ts";
import type { ApiClient } from "./client/client.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connectToSite } from "./client/connect.ts";
import { Failure } from "./terminal/errors.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

export async function listAliases(terminal: Terminal, site: string, options: ClientListOptions): Promise<void> {
  const client = await connectToSite(terminal, options, site);
  const aliases = await client.list<Alias>(path`/sites/${site}/aliases`);
  const none = `No aliases. Make one: vitrine aliases set ${site} ALIAS NUMBER`;
  printList(terminal, aliases, { none, columns: COLUMNS }, options);
}

export async function setAlias(
  terminal: Terminal,
  site: string,
  alias: string,
  number: string,
  options: ClientOptions & { readonly expires?: string },
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connectToSite(terminal, options, site);
  const body = { deployment_number: wanted, expires_in: options.expires };
  const set = await client.put<Alias>(path`/sites/${site}/aliases/${alias}`, body);
  if (options.json) return terminal.json(set);
  terminal.done(`The alias ${printable(set.name)} of ${site} points to deployment ${set.deployment_number}.`);
  terminal.data(printable(set.url));
}

export async function removeAlias(
  terminal: Terminal,
  site: string,
  alias: string,
  options: ClientOptions & { readonly ifExists?: boolean },
): Promise<void> {
  const client = await connectToSite(terminal, options, site);
  const isRemoved = await deleteAlias(client, site, alias, options.ifExists ?? false);
  const done = isRemoved
    ? `Removed the alias ${alias} of ${site}. Its deployment stays.`
    : `${site} has no alias ${alias}.`;
  terminal.done(done);
}

/** Activates the deployment that an alias points to. */
export async function promote(terminal: Terminal, site: string, name: string, options: ClientOptions): Promise<void> {
  const label = requireAliasLabel(name, site, sha256, ["alias"]);
  const client = await connectToSite(terminal, options, site);
  const aliases = await client.list<Alias>(path`/sites/${site}/aliases`);
  const alias = aliases.find((one) => one.name === label);
  if (!alias) throw new Failure(`${site} has no alias ${label}`, `See the aliases: vitrine aliases list ${site}`);
  const activate = path`/sites/${site}/deployments/${alias.deployment_number}/activate`;
  const deployment = await client.post<Deployment>(activate);
  if (options.json) return terminal.json(deployment);
  terminal.done(`Visitors of ${site} now get deployment ${deployment.deployment_number}, the one of ${label}.`);
}

// --- internal ---

/** Returns whether there was such an alias, unless that must be so. A missing site is always an error. */
async function deleteAlias(client: ApiClient, site: string, alias: string, mayBeMissing: boolean): Promise<boolean> {
  try {
    await client.delete(path`/sites/${site}/aliases/${alias}`);
    return true;
  } catch (error) {
    if (!mayBeMissing || !(error instanceof ApiError) || error.httpStatus !== 404) throw error;
    await client.list<Alias>(path`/sites/${site}/aliases`);
    return false;
  }
}

const COLUMNS: readonly Column<Alias>[] = [
  { title: "ALIAS", value: ({ name }) => name, cut: true },
  { title: "DEPLOYMENT", value: ({ deployment_number }) => String(deployment_number) },
  { title: "MOVED", value: ({ updated_at }) => formatTime(updated_at) },
  { title: "EXPIRES", value: ({ expires_at }) => formatTime(expires_at), optional: true },
  { title: "URL", value: ({ url }) => url, optional: true },
];

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
