import { createHash } from "node:crypto";
import type { Alias, Deployment } from "../api/schemas/types.ts";
import { requireAliasLabel } from "../domain/deployments/alias-label.ts";
import { printable } from "../domain/printable.ts";
import { deploymentNumber } from "./arguments.ts";
import { path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import type { JsonOption } from "./command.ts";
import { Failure } from "./terminal/errors.ts";
import { type Column, type ListOptions, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

export async function listAliases(
  terminal: Terminal,
  site: string,
  options: ClientOptions & ListOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const aliases = await client.list<Alias>(path`/sites/${site}/aliases`);
  const none = `No aliases. Make one: vitrine aliases set ${site} ALIAS NUMBER`;
  printList(terminal, aliases, { none, columns: COLUMNS }, options);
}

export async function setAlias(
  terminal: Terminal,
  site: string,
  alias: string,
  number: string,
  options: ClientOptions & JsonOption & { readonly expires?: string },
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
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
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/sites/${site}/aliases/${alias}`);
  terminal.done(`Removed the alias ${alias} of ${site}. Its deployment stays.`);
}

/** Activates the deployment that an alias points to. */
export async function promote(
  terminal: Terminal,
  site: string,
  name: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const label = requireAliasLabel(name, site, sha256, ["alias"]);
  const client = await connect(terminal, options);
  const aliases = await client.list<Alias>(path`/sites/${site}/aliases`);
  const alias = aliases.find((one) => one.name === label);
  if (!alias) throw new Failure(`${site} has no alias ${label}`, `See the aliases: vitrine aliases list ${site}`);
  const activate = path`/sites/${site}/deployments/${alias.deployment_number}/activate`;
  const deployment = await client.post<Deployment>(activate);
  if (options.json) return terminal.json(deployment);
  terminal.done(`Visitors of ${site} now get deployment ${deployment.deployment_number}, the one of ${label}.`);
}

// --- internal ---

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
