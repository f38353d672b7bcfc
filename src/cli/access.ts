import type { Access, Reader } from "../api/schemas/types.ts";
import { printable } from "../domain/printable.ts";
import { ApiError } from "./client/api-error.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { Failure } from "./terminal/errors.ts";
import { printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";

export async function showAccess(terminal: Terminal, site: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  const access = await client.get<Access>(path`/sites/${site}/access`);
  if (options.json) return terminal.json(access);
  terminal.data(access.private ? "private" : "public");
}

export async function setAccess(
  terminal: Terminal,
  access: "private" | "public",
  site: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const isPrivate = access === "private";
  if (isPrivate) await client.put(path`/sites/${site}/access`);
  else await client.delete(path`/sites/${site}/access`);
  if (options.json) return terminal.json({ private: isPrivate });
  if (!isPrivate) return terminal.done(`${site} is public: everyone can view it.`);
  terminal.done(`${site} is private: only you and its readers can view it.`);
  terminal.say(`Add readers: vitrine readers add ${site} LOGIN`);
}

export async function listReaders(terminal: Terminal, site: string, options: ClientListOptions): Promise<void> {
  const client = await connect(terminal, options);
  const readers = await client.list<Reader>(path`/sites/${site}/access/readers`);
  const columns = [
    { title: "LOGIN", value: ({ provider_login }: Reader) => provider_login },
    { title: "NAME", value: ({ provider_name }: Reader) => provider_name ?? "", cut: true },
  ] as const;
  printList(terminal, readers, { none: `No readers. Add one: vitrine readers add ${site} LOGIN`, columns }, options);
}

export async function addReader(
  terminal: Terminal,
  site: string,
  login: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const request = client.post<Reader>(path`/sites/${site}/access/readers`, { provider_login: login });
  const reader = await request.catch((error) => adviseOnPublicSite(error, site));
  if (options.json) return terminal.json(reader);
  terminal.done(`${printable(reader.provider_login)} is now a reader of ${site}.`);
}

/** A public site has no readers, so the advice explains how to make it private. */
function adviseOnPublicSite(error: unknown, site: string): never {
  if (error instanceof ApiError && error.message.startsWith("site is not private")) {
    throw new Failure(error.message, `Make it private first: vitrine access private ${site}`);
  }
  throw error;
}

/** Removes a reader. Their next request is refused. */
export async function removeReader(
  terminal: Terminal,
  site: string,
  login: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const readers = await client.list<Reader>(path`/sites/${site}/access/readers`);
  const reader = readers.find((candidate) => candidate.provider_login.toLowerCase() === login.toLowerCase());
  if (!reader)
    throw new Failure(`${login} is not a reader of ${site}`, `See its readers: vitrine readers list ${site}`);
  await client
    .delete(path`/sites/${site}/access/readers/${reader.id}`)
    .catch((error) => adviseOnPublicSite(error, site));
  terminal.done(`${login} is no longer a reader of ${site}.`);
}
