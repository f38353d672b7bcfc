import { type RestoredSettings, restoreDataFolder } from "../storage/data-folder/restore.ts";
import { Failure } from "./errors.ts";
import { explainingDataFolder, placeForFolder } from "./operator.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";
import type { JsonOption, OperatorOptions } from "./verb.ts";

interface Options extends OperatorOptions, JsonOption {
  readonly replace?: boolean;
}

/** Puts a backup into the data folder, which must be empty and unserved. */
export async function run(terminal: Terminal, file: string, options: Options): Promise<void> {
  const { config } = await explainingDataFolder(async () => placeForFolder(terminal, options));
  const progress = (contents: number) => terminal.status(`restored ${count(contents, "content")} …`);
  const report = await explainingDataFolder(() => restoreDataFolder(config, file, options.replace === true, progress));
  terminal.status("");
  const { contents, bytes, missing, replaced, settings } = report;
  if (options.json) terminal.json({ data_dir: config.dataDir, ...report });
  if (replaced) terminal.say(`What was there before was set aside, with its content: ${replaced}`);
  if (settings) terminal.say(whereSettingsAre(settings));
  if (missing.length > 0) {
    throw new Failure(
      `Restored, but the backup lacks ${count(missing.length, "content")}: ${missing.slice(0, 3).join(", ")}`,
      "vitrine verify names the deployments that need them.",
    );
  }
  terminal.done(`Restored ${count(contents, "content")} (${formatBytes(bytes)}) to ${config.dataDir}.`);
}

function whereSettingsAre({ file, restored, from }: RestoredSettings): string {
  if (!restored) return `${file} was kept as it is: the backup's settings were not restored.`;
  if (from === null) return `Settings: ${file}`;
  return `Settings: ${file}. The server read them from ${from}: copy them there if it does so here.`;
}
