import { type PageOptions, pageQuery } from "./arguments.ts";
import { path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import type { AuditEntry } from "./client/types.ts";
import type { JsonOption } from "./command.ts";
import { type LongOption, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

export async function listActivity(
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

export function printChanges(
  terminal: Terminal,
  entries: readonly Omit<AuditEntry, "action" | "subject">[],
  options: LongOption,
): void {
  const rows = entries.map(({ id, at, kind, actor, address, site, summary }) => [
    String(id),
    formatTime(at),
    actor === "" ? kind : `${actor} (${kind.replace("_", " ")})`,
    site ?? "",
    summary,
    address,
  ]);
  const columns = [
    { title: "ID", optional: true },
    "TIME",
    { title: "BY", cut: true },
    { title: "SITE", cut: true },
    { title: "CHANGE", cut: true },
    { title: "IP ADDRESS", optional: true },
  ] as const;
  printTable(terminal, columns, rows, options);
}
