import Negotiator from "negotiator";
import type { Page } from "../domain/model/page.ts";
import type { KeptAuditEntry } from "../domain/ports/store/audit.ts";
import { timestamp } from "../domain/timestamp.ts";
import type { AnalyticsResponse } from "./schemas/analytics.ts";

/** Entries per read while a complete list is sent. */
const AT_ONCE = 1000;

/** The formats of operations that also respond with CSV; `?format=` overrides `Accept`. */
export const FORMATS = ["json", "csv"] as const;
type Format = (typeof FORMATS)[number];

/** The first one is the default. */
const MEDIA_TYPES = ["application/json", "text/csv", "text/csv; charset=utf-8"];

/** Returns whether a request prefers CSV to JSON. Without an acceptable format it gets JSON, like other operations. */
export function prefersCsv(request: Request, format: Format | undefined): boolean {
  if (format !== undefined) return format === "csv";
  const accept = request.headers.get("accept");
  if (accept === null) return false;
  return new Negotiator({ headers: { accept } }).mediaType(MEDIA_TYPES)?.startsWith("text/csv") ?? false;
}

type Rows = AsyncIterable<string> | Iterable<string>;

/**
 * Streams a file of CSV (RFC 4180), which browsers save under this name. `report` gets the error of rows that cannot be
 * read, because the listener only breaks off the response.
 */
export function csvResponse(name: string, rows: Rows, report: (error: unknown) => void): Response {
  const headers = {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${name}"`,
  };
  return new Response(bytesOf(rows, report), { headers });
}

/** Returns one line of CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

type ListAudit = (page: Page) => Promise<readonly KeptAuditEntry[]>;

/**
 * Returns the audit log as CSV, which is read a thousand entries at a time: the first ones now, so that a failure gets
 * its own response instead of one that breaks off.
 */
export async function auditCsv(list: ListAudit): Promise<AsyncIterable<string>> {
  return auditLines(await list({ limit: AT_ONCE, before: null }), list);
}

/** Yields a site's analytics as CSV: each list with its kind and its columns. */
export function* analyticsCsv(analytics: typeof AnalyticsResponse.static): Iterable<string> {
  yield csvLine(["kind", "name", "views", "visitors", "bot_views", "bytes", "requests"]);
  const { days, hours, pages, referrers, not_found, countries = [] } = analytics;
  for (const { hour, views, visitors, bytes } of hours ?? [])
    yield csvLine(["hour", hour, views, visitors, null, bytes, null]);
  for (const { day, views, visitors, bot_views, bytes } of hours ? [] : days) {
    yield csvLine(["day", day, views, visitors, bot_views, bytes, null]);
  }
  for (const { path, views } of pages) yield namedLine("page", path, views);
  for (const { host, views } of referrers) yield namedLine("referrer", host, views);
  for (const { country, views } of countries) yield namedLine("country", country, views);
  for (const { path, requests } of not_found) yield csvLine(["not_found", path, null, null, null, null, requests]);
}

// --- internal ---

async function* auditLines(first: readonly KeptAuditEntry[], list: ListAudit): AsyncIterable<string> {
  yield csvLine(["id", "at", "kind", "actor", "address", "action", "site", "subject"]);
  for (let entries = first; ; ) {
    yield entries.map(auditLine).join("");
    const last = entries.at(-1);
    if (!last || entries.length < AT_ONCE) return;
    entries = await list({ limit: AT_ONCE, before: last.id });
  }
}

function namedLine(kind: string, name: string, views: number): string {
  return csvLine([kind, name, views, null, null, null, null]);
}

async function* bytesOf(rows: Rows, report: (error: unknown) => void): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  try {
    for await (const row of rows) yield encoder.encode(row);
  } catch (error) {
    report(error);
    throw error;
  }
}

function auditLine({ id, at, kind, actor, address, action, site, subject }: KeptAuditEntry): string {
  return csvLine([id, timestamp(at), kind, actor, address, action, site, subject]);
}

function csvCell(value: string | number | null): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
