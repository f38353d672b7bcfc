import { restoreSourceOf } from "../app/operator.ts";
import type { Config } from "../config/settings.ts";
import { type RestoredSettings, restoreDataFolder } from "../storage/data-folder/restore.ts";
import type { OperatorOptions } from "./command.ts";
import { explainingDataFolder, placeForFolder } from "./operator.ts";
import { Failure } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

interface Options extends OperatorOptions {
  readonly replace?: boolean;
}

/** Restores a backup into the data folder. It must be empty, and no server may run on it. */
export async function restore(terminal: Terminal, file: string, options: Options): Promise<void> {
  const { config } = await explainingDataFolder(async () => placeForFolder(terminal, options));
  const progress = (contents: number) => terminal.status(`Restored ${count(contents, "file")} …`);
  const report = await explainingDataFolder(async () =>
    restoreDataFolder(config, await restoreSourceOf(config, file), options.replace === true, progress),
  );
  terminal.status("");
  const { contents, bytes, missing, replaced, settings } = report;
  if (options.json) terminal.json({ data_dir: config.dataDir, ...report });
  if (replaced) terminal.say(`The former data was moved to ${replaced}`);
  if (settings) terminal.say(whereSettingsAre(settings));
  if (missing.length > 0) {
    throw new Failure(
      `restored, but ${count(missing.length, "file")} is missing in the backup: ${missing.slice(0, 3).join(", ")}`,
      "See the affected deployments: vitrine verify",
    );
  }
  for (const line of whatToMove(config)) terminal.say(line);
  terminal.done(`Restored ${count(contents, "file")} (${formatBytes(bytes)}) to ${config.dataDir}.`);
}

/** The settings may say that the server keeps metadata and files elsewhere. */
function whatToMove({ content, database, dataDir }: Config): readonly string[] {
  if (!content && !database) return [];
  const what = database ? "Everything is" : "The files of sites are";
  const toDatabase = database ? " --to-database URL-OF-A-NEW-DATABASE" : "";
  const toContent = content ? ` --to-content '${content.url}'` : "";
  return [
    `${what} in the data folder. Move ${database ? "it" : "them"} before the server starts:`,
    `  vitrine move${toDatabase}${toContent} --data-dir ${dataDir}`,
  ];
}

function whereSettingsAre({ file, restored, from }: RestoredSettings): string {
  if (!restored) return `Kept ${file} as it is; the settings in the backup were not restored.`;
  if (from === null) return `Settings: ${file}`;
  return `Settings: ${file}. The server read them from ${from}; copy them there if it does so on this machine.`;
}
