import type { AuditPage, KeptAuditEntry } from "../domain/ports/store/audit.ts";
import { timestamp } from "../domain/timestamp.ts";

/** Entries that are read at once while a list is sent whole. */
const AT_ONCE = 1000;

/** Whether a request asks for CSV rather than JSON. */
export function prefersCsv(request: Request): boolean {
  return /(^|,)\s*text\/csv\b/i.test(request.headers.get("accept") ?? "");
}

/** Streams a file of CSV (RFC 4180), which browsers save under this name. */
export function csvResponse(name: string, rows: AsyncIterable<string>): Response {
  const headers = {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${name}"`,
  };
  return new Response(bytesOf(rows), { headers });
}

/** Returns one line of CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Yields the audit log as CSV, a thousand entries at a time. */
export async function* auditCsv(list: (page: AuditPage) => Promise<readonly KeptAuditEntry[]>): AsyncIterable<string> {
  yield csvLine(["id", "at", "kind", "actor", "address", "action", "site", "subject"]);
  for (let before: number | null = null; ; ) {
    const entries = await list({ limit: AT_ONCE, before });
    yield entries.map(auditLine).join("");
    const last = entries.at(-1);
    if (!last || entries.length < AT_ONCE) return;
    before = last.id;
  }
}

// --- internal ---

async function* bytesOf(rows: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const row of rows) yield encoder.encode(row);
}

function auditLine({ id, at, kind, actor, address, action, site, subject }: KeptAuditEntry): string {
  return csvLine([id, timestamp(at), kind, actor, address, action, site, subject]);
}

function csvCell(value: string | number | null): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
