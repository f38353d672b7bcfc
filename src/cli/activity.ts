import type { AuditEntry } from "../api/schemas/types.ts";
import { type PageOptions, pageQuery } from "./arguments.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, connect } from "./client/connect.ts";
import { type Column, type ListOptions, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

export async function listActivity(
  terminal: Terminal,
  site: string | undefined,
  options: ClientListOptions & PageOptions,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const log = site === undefined ? "/audit" : path`/sites/${site}/audit`;
  const entries = await client.list<AuditEntry>(log + page);
  printChanges(terminal, entries, options);
}

type Change = Omit<AuditEntry, "action" | "subject">;

export function printChanges(terminal: Terminal, changes: readonly Change[], options: ListOptions): void {
  printList(terminal, changes, { none: "No changes yet.", columns: COLUMNS }, options);
}

const COLUMNS: readonly Column<Change>[] = [
  { title: "ID", value: ({ id }) => String(id), optional: true },
  { title: "TIME", value: ({ at }) => formatTime(at) },
  {
    title: "BY",
    value: ({ actor, kind }) => (actor === "" ? kind : `${actor} (${kind.replace("_", " ")})`),
    cut: true,
  },
  { title: "SITE", value: ({ site }) => site ?? "", cut: true },
  { title: "CHANGE", value: ({ summary }) => summary, cut: true },
  { title: "IP ADDRESS", value: ({ address }) => address, optional: true },
];
