import { changeTable } from "./change-table.ts";
import { path } from "./client/client.ts";
import { connect } from "./client/connect.ts";
import type { AuditEntry } from "./client/types.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "./verb.ts";

interface Options extends ClientOptions, JsonOption {
  readonly limit?: string;
  readonly before?: string;
}

/** Prints what was changed of one site, or what you changed and of all your sites, newest first. */
export async function run(terminal: Terminal, site: string | undefined, options: Options): Promise<void> {
  const client = await connect(terminal, options);
  const query = new URLSearchParams();
  if (options.limit !== undefined) query.set("limit", options.limit);
  if (options.before !== undefined) query.set("before", options.before);
  const page = query.size > 0 ? `?${query}` : "";
  const log = site === undefined ? "/audit" : path`/sites/${site}/audit`;
  const entries = await client.get<readonly AuditEntry[]>(log + page);
  if (options.json) return terminal.data(JSON.stringify(entries, null, 2));
  if (entries.length === 0) return terminal.say("Nothing was changed yet.");
  terminal.data(changeTable(terminal.dataStyle, entries));
}
