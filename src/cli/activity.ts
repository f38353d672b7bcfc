import { printChanges } from "./change-table.ts";
import { path } from "./client/client.ts";
import { connect } from "./client/connect.ts";
import type { AuditEntry } from "./client/types.ts";
import { type PageOptions, pageQuery } from "./page.ts";
import type { LongOption } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "./verb.ts";

/** Prints what was changed of one site, or what you changed and of all your sites, newest first. */
export async function run(
  terminal: Terminal,
  site: string | undefined,
  options: ClientOptions & JsonOption & PageOptions & LongOption,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const log = site === undefined ? "/audit" : path`/sites/${site}/audit`;
  const entries = await client.list<AuditEntry>(log + page);
  if (options.json) return terminal.json(entries);
  if (entries.length === 0) return terminal.say("No changes yet.");
  printChanges(terminal, entries, options);
}
