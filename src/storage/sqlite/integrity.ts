import type { Database } from "bun:sqlite";
import { messageOf } from "../../domain/error-message.ts";
import { brokenRules } from "../store/integrity.ts";
import { drizzleOnSqlite } from "./dialect.ts";

/**
 * Returns SQLite's findings about the file, and violations that no constraint can express. Reads the whole database, and
 * one state of it, because a server may add entries to the audit log meanwhile.
 */
export async function integrityProblems(raw: Database): Promise<string[]> {
  const isOwn = !raw.inTransaction;
  try {
    if (isOwn) raw.run("BEGIN");
    return [...structuralProblems(raw), ...(await brokenRules(drizzleOnSqlite(raw))), ...missingEntries(raw)];
  } catch (error) {
    // A badly damaged file cannot be queried.
    return [messageOf(error)];
  } finally {
    // A commit of a damaged database fails.
    if (isOwn && raw.inTransaction) raw.run("ROLLBACK");
  }
}

// --- internal ---

/** The chain of the audit log does not show where it ended, but the number of assigned ids does. */
function missingEntries(raw: Database): string[] {
  const given = raw.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").get()?.seq ?? 0;
  const newest = "SELECT max((SELECT last_id FROM audit_anchor), coalesce((SELECT max(id) FROM audit), 0)) AS last";
  const { last } = raw.query<{ last: number }, []>(newest).get()!;
  return given > last ? [`the audit log lacks the entries after ${last}, up to ${given}`] : [];
}

function structuralProblems(raw: Database): string[] {
  const damage = raw.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  const orphans = raw.query<{ table: string; parent: string }, []>("PRAGMA foreign_key_check").all();
  return [
    ...damage.map((row) => row.integrity_check).filter((finding) => finding !== "ok"),
    ...orphans.map(({ table, parent }) => `a row of ${table} refers to one of ${parent} that is not there`),
  ];
}
