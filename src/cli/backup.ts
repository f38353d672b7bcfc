import { storageOf } from "../app/operator.ts";
import { VERSION } from "../config/version.ts";
import { backupDataFolder } from "../storage/data-folder/backup.ts";
import type { OperatorOptions } from "./command.ts";
import { explainingDataFolder, operatorFolder } from "./operator.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

interface Options extends OperatorOptions {
  readonly force?: boolean;
}

/** Backs up while the server runs: into one file, or incrementally into a folder. */
export async function backUp(terminal: Terminal, file: string, options: Options): Promise<void> {
  if (["", "-"].includes(file)) {
    throw new UsageError(
      `${JSON.stringify(file)} is neither a file nor a folder`,
      "Give a file or a folder to back up to.",
    );
  }
  const report = await explainingDataFolder(async () => {
    const { config, settingsFile } = operatorFolder(terminal, options);
    const progress = (contents: number) => terminal.status(`Backed up ${count(contents, "file")} …`);
    const { version } = VERSION;
    const order = { path: file, replace: options.force === true, settingsFile, version, createdAt: Date.now() };
    return backupDataFolder(storageOf(config), order, progress);
  });
  terminal.status("");
  const { sites, deployments, contents, bytes, copied, missing, damaged, settings } = report;
  if (options.json) terminal.json({ file, ...report });
  const lost = missing.length + damaged.length;
  if (lost > 0) {
    throw new Failure(
      `${file} has everything except ${count(lost, "file")} missing or damaged in the data folder`,
      "See them with vitrine verify; an earlier backup may have them.",
    );
  }
  terminal.done(
    `Backed up to ${file}: ${count(sites, "site")}, ${count(deployments, "deployment")}, ${count(contents, "file")} (${formatBytes(bytes)}, ${copied} copied), ${settings === null ? "no settings file (--config names one)" : `settings from ${settings}`}.`,
  );
}
