import type { AuditEntry } from "./client/types.ts";
import type { Style } from "./terminal/style.ts";
import { table } from "./terminal/table.ts";
import { formatTime } from "./terminal/units.ts";

/** Returns changes as a table for people: when, who, from where, of which site, and what in words. */
export function changeTable(style: Style, entries: readonly Omit<AuditEntry, "action" | "subject">[]): string {
  const rows = entries.map(({ id, at, kind, actor, address, site, summary }) => [
    String(id),
    formatTime(at),
    actor === "" ? kind : `${actor} (${kind.replace("_", " ")})`,
    address,
    site ?? "",
    summary,
  ]);
  return table(style, ["ID", "WHEN", "WHO", "FROM", "SITE", "WHAT"], rows);
}
