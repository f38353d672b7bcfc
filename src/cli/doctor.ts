import { examine, examineHealthAlone } from "../app/doctor.ts";
import type { Finding } from "../domain/model/finding.ts";
import type { OperatorOptions } from "./command.ts";
import { explainingDataFolder, servedFolder } from "./operator.ts";
import { Failure } from "./terminal/errors.ts";
import type { Style } from "./terminal/style.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count } from "./terminal/units.ts";

interface Options extends OperatorOptions {
  readonly health?: boolean;
}

/** Prints the findings of all checks. Fails if any check found an error. */
export async function doctor(terminal: Terminal, options: Options): Promise<void> {
  const { config } = await explainingDataFolder(async () => servedFolder(terminal, options));
  const findings = await (options.health ? examineHealthAlone(config) : examine(config));
  const problems = findings.filter(({ verdict }) => verdict === "problem").length;
  if (options.json) terminal.json({ ok: problems === 0, findings });
  else for (const finding of findings) terminal.data(lines(terminal.dataStyle, finding));
  if (problems > 0) throw new Failure(`${count(problems, "problem")} found`);
}

function lines(style: Style, { check, verdict, detail, advice }: Finding): string {
  const mark = { ok: style.green("✓"), warning: style.yellow("!"), problem: style.red("✗") }[verdict];
  return `${mark} ${check}: ${detail}${advice === null ? "" : `\n  → ${advice}`}`;
}
