import { moveContentToBucket, moveContentToFolder } from "../app/operator.ts";
import type { MoveProgress, MoveReport } from "../storage/data-folder/move-content.ts";
import type { JsonOption, OperatorOptions } from "./command.ts";
import { explainingDataFolder, operatorFolder } from "./operator.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import { ProgressBar } from "./terminal/progress.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

interface Options extends OperatorOptions, JsonOption {
  readonly toContent?: string;
  readonly toDataDir?: string;
  readonly dryRun?: boolean;
}

/** Moves the files of all sites to a bucket, or back into a data folder. No server may run. */
export async function move(terminal: Terminal, options: Options): Promise<void> {
  const { toContent, toDataDir, dryRun = false } = options;
  if ((toContent === undefined) === (toDataDir === undefined)) {
    throw new UsageError("Where to is not clear.", "Give either --to-content or --to-data-dir.");
  }
  const bars = progressBars(terminal);
  const report = await explainingDataFolder(async () => {
    const { config } = operatorFolder(terminal, options);
    const order = { dryRun, progress: bars };
    return toContent === undefined
      ? moveContentToFolder(config, toDataDir as string, order)
      : moveContentToBucket(config, toContent, order);
  }).finally(bars.clear);
  if (options.json) terminal.json({ dry_run: dryRun, ...report });
  printReport(terminal, report, dryRun, toContent === undefined);
}

// --- internal ---

function printReport(terminal: Terminal, report: MoveReport, dryRun: boolean, isBack: boolean): void {
  const { contents, bytes, copied, lost, from, to } = report;
  const all = `${count(contents, "file")} (${formatBytes(bytes)})`;
  if (lost.length > 0) {
    throw new Failure(
      `Nothing was moved: ${count(lost.length, "file")} missing or damaged in ${from}: ${lost.slice(0, 3).join(", ")}`,
      "See the affected deployments with vitrine verify. Delete them, or restore a backup.",
    );
  }
  if (dryRun) {
    terminal.done(`Would move ${all} from ${from} to ${to}: ${copied} to copy.`);
    return;
  }
  terminal.done(`Moved ${all} to ${to}, and verified each: ${copied} copied.`);
  terminal.say(isBack ? "Start the server without --content." : `Start the server with --content '${to}'.`);
  terminal.say(`The former files stay in ${from}. Delete them once the server runs well.`);
}

function progressBars(terminal: Terminal): MoveProgress & { clear(): void } {
  let bar: ProgressBar | null = null;
  return {
    begin(step, bytes) {
      bar = new ProgressBar(terminal, step === "copying" ? "Copying" : "Verifying", bytes);
    },
    advance: (bytes) => bar?.advance(bytes),
    clear: () => terminal.status(""),
  };
}
