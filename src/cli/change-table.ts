import type { AuditEntry } from "./client/types.ts";
import { type LongOption, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

/** Prints changes as a table: when, who, from which address, of which site, and what. */
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
