import { storageOf } from "../app/operator.ts";
import type { Problem, Verification } from "../domain/maintenance/verify.ts";
import { printable } from "../domain/printable.ts";
import { sentence } from "../domain/sentence.ts";
import { verifyDataFolder } from "../storage/data-folder/verify.ts";
import { dataFolder, remedyFor } from "../storage/folder/data-folder.ts";
import type { OperatorOptions } from "./command.ts";
import { explainingDataFolder, operatorFolder } from "./operator.ts";
import { Failure } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

/** Checks the database and the hash of all content. Fails if anything is damaged or missing. */
export async function verify(terminal: Terminal, options: OperatorOptions): Promise<void> {
  const { config } = await explainingDataFolder(async () => operatorFolder(terminal, options));
  const found = await explainingDataFolder(() =>
    verifyDataFolder(storageOf(config), (contents) => terminal.status(`Verified ${count(contents, "file")} …`)),
  );
  terminal.status("");
  if (options.json) terminal.json(verificationJson(found));
  else for (const problem of found.problems) terminal.data(lines(problem));
  if (found.problems.length > 0) {
    throw new Failure(
      `${count(found.problems.length, "problem")} found`,
      sentence(remedyFor(dataFolder(config.dataDir))),
    );
  }
  const { contents, bytes, deployments, leftovers } = found;
  terminal.done(
    `Nothing is missing or damaged: ${count(contents, "file")} (${formatBytes(bytes)}) of ${count(deployments, "deployment")}.`,
  );
  if (leftovers > 0) terminal.say(`The server will delete ${count(leftovers, "leftover file")}.`);
}

/** A finding, followed by the affected files. */
function lines({ detail, files = [], needed = 0 }: Problem): string {
  const others = needed - files.length;
  const below = [...files.map(printable), ...(others > 0 ? [`and ${count(others, "more file")}`] : [])];
  return [detail, ...below.map((line) => `  ${line}`)].join("\n");
}

function verificationJson({ problems, contents, bytes, deployments, leftovers }: Verification) {
  return { ok: problems.length === 0, problems, contents, bytes, deployments, leftovers };
}
