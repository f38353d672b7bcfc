import type { Command } from "commander";

export interface Choice {
  readonly word: string;
  readonly help: string;
}

/** One command and what may follow it. */
export interface CommandWords {
  /** The words that lead to it, such as `users add`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Choice[];
  readonly options: readonly (Choice & { readonly takesValue: boolean })[];
}

/** Returns a command and all below it, each with the words that may follow. */
export function wordsOf(command: Command, path = ""): readonly CommandWords[] {
  const own: CommandWords = {
    path,
    commands: command.commands.map((child) => ({ word: child.name(), help: child.description() })),
    options: [
      ...command.options.map((option) => ({
        word: option.long ?? option.flags,
        help: option.description,
        takesValue: option.required,
      })),
      { word: "--help", help: "show this help", takesValue: false },
    ],
  };
  return [own, ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`.trim()))];
}

/** Returns the paths of all commands, the program itself left out. */
export function pathsOf(words: readonly CommandWords[]): readonly string[] {
  return words.map(({ path }) => path).filter((path) => path !== "");
}

/** Quotes a text for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
