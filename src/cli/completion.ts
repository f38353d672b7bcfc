import type { Command } from "commander";
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { wordsOf } from "./completion/words.ts";
import { zshScript } from "./completion/zsh.ts";
import { UsageError } from "./errors.ts";
import type { Terminal } from "./terminal/terminal.ts";

const SCRIPTS = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

/** Prints the completion script of a shell, made from the command tree. */
export async function run(terminal: Terminal, shell: string, program: Command): Promise<void> {
  const script = SCRIPTS.get(shell);
  if (!script)
    throw new UsageError(
      `There is no completion script for ${shell}.`,
      `Use one of ${[...SCRIPTS.keys()].join(", ")}.`,
    );
  terminal.data(script(wordsOf(program)));
}
