import { timestamp } from "../domain/timestamp.ts";
import { UsageError } from "./errors.ts";
import { onDataFolder } from "./operator.ts";
import { table } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";
import type { JsonOption, OperatorOptions } from "./verb.ts";

interface Options extends OperatorOptions, JsonOption {
  readonly site?: string;
  readonly limit?: string;
}

const LIMIT = 100;

/** Prints who changed what, when and from where, newest first. */
export async function run(terminal: Terminal, options: Options): Promise<void> {
  if (options.limit !== undefined && !/^[1-9]\d{0,5}$/.test(options.limit)) {
    throw new UsageError(`--limit: ${JSON.stringify(options.limit)} is not usable; give a whole number from 1.`);
  }
  const page = { limit: Number(options.limit ?? LIMIT), before: null };
  const entries = await onDataFolder(terminal, options, ({ store }) =>
    store.audit.list(options.site ?? null, null, page),
  );
  if (options.json) {
    return terminal.data(
      JSON.stringify(
        entries.map(({ userId, ...entry }) => ({ ...entry, at: timestamp(entry.at), user_id: userId })),
        null,
        2,
      ),
    );
  }
  if (entries.length === 0) return terminal.say("Nothing was changed yet.");
  const rows = entries.map(({ at, kind, actor, address, action, site, subject }) => [
    formatTime(timestamp(at)),
    actor === "" ? kind : `${actor} (${kind.replace("_", " ")})`,
    address,
    action,
    [site ?? "", subject].filter((part) => part !== "").join(" "),
  ]);
  terminal.data(table(terminal.dataStyle, ["WHEN", "WHO", "FROM", "WHAT", "OF"], rows));
}
