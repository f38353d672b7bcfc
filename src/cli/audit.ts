import { summaryOf } from "../api/routes/routes.ts";
import { timestamp } from "../domain/timestamp.ts";
import { printChanges } from "./activity.ts";
import { optionNumber } from "./arguments.ts";
import type { OperatorOptions } from "./command.ts";
import { findSite, readingDataFolder } from "./operator.ts";
import type { ListOptions } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface Options extends OperatorOptions, ListOptions {
  readonly site?: string;
  readonly limit?: string;
}

const LIMIT = 100;

export async function listAudit(terminal: Terminal, options: Options): Promise<void> {
  const page = { limit: optionNumber("--limit", options.limit) ?? LIMIT, before: null };
  const kept = await readingDataFolder(terminal, options, async ({ store }) => {
    const found = await store.audit.list({ site: options.site }, page);
    // A deleted site still has entries. Without any, the name may be mistyped.
    if (found.length === 0 && options.site !== undefined) await findSite(store, options.site);
    return found;
  });
  const entries = kept.map(({ userId, at, ...entry }) => ({
    ...entry,
    at: timestamp(at),
    user_id: userId,
    summary: summaryOf(entry),
  }));
  printChanges(terminal, entries, options);
}
