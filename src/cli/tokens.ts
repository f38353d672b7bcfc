import type { CreatedToken, DeploymentToken } from "../api/schemas/types.ts";
import { printable } from "../domain/printable.ts";
import { ApiError } from "./client/api-error.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { Failure } from "./terminal/errors.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

interface TokenOptions {
  readonly name?: string;
  readonly permission?: string;
  readonly expiresIn?: string;
}

export async function createToken(
  terminal: Terminal,
  site: string,
  options: ClientOptions & TokenOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const { name, permission, expiresIn: expires_in } = options;
  const body = { site_name: site, name, permission, expires_in };
  const created = await client.post<CreatedToken>("/tokens", body);
  if (options.json) return terminal.json(created);
  terminal.data(printable(created.token));
  const rights =
    created.permission === "publish"
      ? `deploy to ${site}, and list and activate its deployments`
      : `make previews of ${site}, and list its deployments`;
  terminal.say(`Save this token now; it is not shown again. It can ${rights}:`);
  const preview = created.permission === "preview" ? " --preview NAME" : "";
  terminal.say(`  VITRINE_TOKEN=… vitrine deploy FOLDER --site ${site}${preview} --server ${client.server}`);
  terminal.say(`Revoke it: vitrine tokens revoke ${created.id}`);
}

/** Prints the tokens of one site, or of all. */
export async function listTokens(
  terminal: Terminal,
  site: string | undefined,
  options: ClientListOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const all = await client.list<DeploymentToken>("/tokens");
  const tokens = site === undefined ? all : all.filter(({ site_name }) => site_name === site);
  const whose = site === undefined ? "" : ` of ${site}`;
  const none = `No deployment tokens${whose}. Create one: vitrine tokens create ${site ?? "SITE"}`;
  printList(terminal, tokens, { none, columns: COLUMNS }, options);
}

const COLUMNS: readonly Column<DeploymentToken>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "SITE", value: ({ site_name }) => site_name, cut: true },
  { title: "NAME", value: ({ name }) => name, cut: true },
  { title: "PERMISSION", value: ({ permission }) => permission, optional: true },
  { title: "LAST USED", value: ({ last_used_at }) => formatTime(last_used_at), optional: true },
  { title: "EXPIRES", value: ({ expires_at }) => formatTime(expires_at), optional: true },
  { title: "CREATED", value: ({ created_at }) => formatTime(created_at), optional: true },
];

export async function revokeToken(terminal: Terminal, id: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/tokens/${id}`).catch((error) => {
    if (!(error instanceof ApiError) || error.httpStatus !== 404) throw error;
    throw new Failure(error.message, "See your tokens: vitrine tokens list");
  });
  terminal.done(`Revoked the token ${id}.`);
}
