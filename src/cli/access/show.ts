import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Access } from "../client/types.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

/** Prints whether a site is public or private. */
export async function run(terminal: Terminal, site: string, options: ClientOptions & JsonOption): Promise<void> {
  const client = await connect(terminal, options);
  const access = await client.get<Access>(path`/sites/${site}/access`);
  if (options.json) return terminal.json(access);
  terminal.data(access.private ? "private" : "public");
}
