import { type MoveTarget, moveToDataFolder, moveToServices } from "../app/operator.ts";
import type { MoveProgress, MoveReport } from "../storage/data-folder/move-content.ts";
import type { DatabaseMove } from "../storage/data-folder/move-database.ts";
import type { FolderMove } from "../storage/data-folder/move-to-folder.ts";
import type { OperatorOptions } from "./command.ts";
import { explainingDataFolder, operatorFolder } from "./operator.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import { ProgressBar } from "./terminal/progress.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

interface Options extends OperatorOptions {
  readonly toContent?: string;
  readonly toDatabase?: string;
  readonly toDataDir?: string;
  readonly dryRun?: boolean;
}

/** Moves files to a bucket and metadata to PostgreSQL, or both back into a data folder. No server may run. */
export async function move(terminal: Terminal, options: Options): Promise<void> {
  const { toDataDir, dryRun = false } = options;
  const to = { content: options.toContent ?? null, database: options.toDatabase ?? null };
  const isAway = to.content !== null || to.database !== null;
  if (isAway === (toDataDir !== undefined)) {
    throw new UsageError(
      "the destination is missing or ambiguous",
      "Give --to-content, --to-database or both, or else --to-data-dir.",
    );
  }
  const bars = progressBars(terminal);
  const report = await explainingDataFolder(async () => {
    const { config } = operatorFolder(terminal, options);
    const order = { dryRun, progress: bars };
    return toDataDir === undefined ? moveToServices(config, to, order) : moveToDataFolder(config, toDataDir, order);
  }).finally(bars.clear);
  if (options.json) terminal.json({ dry_run: dryRun, ...report.content, database: report.database });
  if (report.content) printContent(terminal, report.content, dryRun);
  if (report.database) printDatabase(terminal, report.database, dryRun);
  if (!dryRun) printNextSteps(terminal, report, toDataDir ?? to);
}

// --- internal ---

function printContent(
  terminal: Terminal,
  { contents, bytes, copied, lost, from, to }: MoveReport,
  dryRun: boolean,
): void {
  const all = `${count(contents, "file")} (${formatBytes(bytes)})`;
  if (lost.length > 0) {
    throw new Failure(
      `nothing was moved: ${count(lost.length, "file")} missing or damaged in ${from}: ${lost.slice(0, 3).join(", ")}`,
      "See the affected deployments with vitrine verify. Delete them, or restore a backup.",
    );
  }
  if (dryRun) terminal.done(`Would move ${all} from ${from} to ${to}: ${copied} to copy.`);
  else terminal.done(`Moved ${all} to ${to}, and verified each: ${copied} copied.`);
}

function printDatabase(terminal: Terminal, { rows, copied, from, to }: DatabaseMove, dryRun: boolean): void {
  const all = count(rows, "row");
  if (dryRun) terminal.done(`Would move ${all} from ${from} to ${to}: ${copied} to copy.`);
  else terminal.done(`Moved ${all} to ${to}, and compared each: ${copied} copied.`);
}

/** `to` is a path after a move to a data folder. */
function printNextSteps(terminal: Terminal, { content, database }: FolderMove, to: MoveTarget | string): void {
  const isAway = typeof to !== "string";
  terminal.say(isAway ? startWith(to.content, database) : startIn(to, content, database));
  if (content) terminal.say(`The former files stay in ${content.from}. Delete them once the server runs well.`);
  if (database) terminal.say(whereFormerRowsAre(database, isAway));
}

function startWith(content: string | null, database: DatabaseMove | null): string {
  const flags = [
    ...(content === null ? [] : [`--content '${content}'`]),
    ...(database === null ? [] : [`--database '${database.to}'`]),
  ];
  const others = content === null ? " Keep --content if the files are in a bucket." : "";
  return `Start the server with ${flags.join(" and ")}.${others}`;
}

function startIn(folder: string, content: MoveReport | null, database: DatabaseMove | null): string {
  const former = [...(database ? ["--database"] : []), ...(content ? ["--content"] : [])];
  return `Start the server with --data-dir '${folder}' and without ${former.join(" and ")}.`;
}

function whereFormerRowsAre({ from }: DatabaseMove, isAway: boolean): string {
  if (isAway) return `The former database is now ${from}.moved. Delete it once the server runs well.`;
  return `The rows stay in ${from}, which no server starts with any more. Delete that database once the server runs well.`;
}

function progressBars(terminal: Terminal): MoveProgress & { clear(): void } {
  let bar: ProgressBar | null = null;
  return {
    begin(step, total, unit) {
      const verb = step === "copying" ? "Copying" : "Verifying";
      bar = new ProgressBar(terminal, verb, total, unit === "row" ? (rows) => count(rows, "row") : formatBytes);
    },
    advance: (done) => bar?.advance(done),
    clear: () => terminal.status(""),
  };
}
