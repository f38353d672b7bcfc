import wrapAnsi from "wrap-ansi";
import type { CliCommand } from "../command.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Adds note and examples of a command to its help, as wide as the terminal. */
export function addMoreHelp(command: CliCommand, terminal: Terminal): void {
  const { helpNote, helpExamples } = command;
  const note = helpNote === null ? "" : `\n${wrapAnsi(helpNote, helpWidth(terminal))}\n`;
  const examples = helpExamples.map((example) => `  ${example}`);
  command.addHelpText("after", `${note}\nExamples:\n${examples.join("\n")}`);
}

/** Returns the width of the help; in a pipe, that of a normal terminal. */
export function helpWidth({ dataColumns }: Pick<Terminal, "dataColumns">): number {
  return Math.min(dataColumns ?? 80, 120);
}
