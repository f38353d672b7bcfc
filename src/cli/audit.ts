import { summaryOf } from "../api/audit-summary.ts";
import { timestamp } from "../domain/timestamp.ts";
import { printChanges } from "./change-table.ts";
import { findSite, lookingAtDataFolder } from "./operator.ts";
import type { LongOption } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { JsonOption, OperatorOptions } from "./verb.ts";
import { optionNumber } from "./whole-number.ts";

interface Options extends OperatorOptions, JsonOption, LongOption {
  readonly site?: string;
  readonly limit?: string;
}

const LIMIT = 100;

/** Prints who changed what, when and from where, newest first. */
export async function run(terminal: Terminal, options: Options): Promise<void> {
  const page = { limit: optionNumber("--limit", options.limit) ?? LIMIT, before: null };
  const kept = await lookingAtDataFolder(terminal, options, async ({ store }) => {
    const found = await store.audit.list(options.site ?? null, null, page);
    // A site that is gone has a past; one that never was may be mistyped.
    if (found.length === 0 && options.site !== undefined) await findSite(store, options.site);
    return found;
  });
  const entries = kept.map(({ userId, at, ...entry }) => ({
    ...entry,
    at: timestamp(at),
    user_id: userId,
    summary: summaryOf(entry),
  }));
  if (options.json) return terminal.json(entries);
  if (entries.length === 0) return terminal.say("No changes yet.");
  printChanges(terminal, entries, options);
}
