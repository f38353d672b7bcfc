import { Command, Option } from "commander";
import type { Terminal } from "./terminal/terminal.ts";

/** Runs a command with its arguments in order, then its options. */
type Handler = (terminal: Terminal, ...rest: never[]) => Promise<void>;

/**
 * Returns a commander action that imports the handler's module only when the command runs: `vitrine version` must not
 * load the server, nor `vitrine deploy` the database.
 */
export type Lazy = <Name extends string>(
  load: () => Promise<{ readonly [name in Name]: Handler }>,
  name: Name,
) => (...given: unknown[]) => Promise<void>;

export function lazyFor(terminal: Terminal): Lazy {
  return (load, name) =>
    async (...given: unknown[]) => {
      const handlers = await load();
      // Commander passes the declared arguments and options, and then the command itself.
      await handlers[name](terminal, ...(given.slice(0, -1) as never[]));
    };
}

/** A command with additional help below the options. */
export class CliCommand extends Command {
  /** Explains details that the description and the options lack. */
  helpNote: string | null = null;
  /** Three working examples. */
  helpExamples: readonly string[] = [];

  note(text: string): this {
    this.helpNote = text;
    return this;
  }

  examples(...examples: readonly [string, string, string]): this {
    this.helpExamples = examples;
    return this;
  }
}

export interface JsonOption {
  readonly json?: boolean;
}

/** Options of every command that works on the data folder. */
export interface OperatorOptions {
  readonly dataDir?: string;
  readonly database?: string;
  readonly config?: string;
}

export function jsonOption(): Option {
  return new Option("--json", "print JSON");
}

/** For lists. Without it, a list at a terminal is truncated to its width. */
export function longOption(): Option {
  return new Option("-l, --long", "show all values in full, one per line");
}

export function clientCommand(usage: string, description: string): CliCommand {
  return new CliCommand(usage)
    .description(description)
    .option("--server <URL>", "the server's URL (default: $VITRINE_SERVER, else where you last signed in)")
    .option("--token <TOKEN>", "session or deployment token (default: $VITRINE_TOKEN, else the one that login saved)");
}

/** Returns a command that works on the data folder. It reads settings from variables and vitrine.toml only. */
export function operatorCommand(usage: string, description: string): CliCommand {
  return new CliCommand(usage)
    .description(description)
    .option(
      "--data-dir <FOLDER>",
      "the server's data folder (default: $VITRINE_DATA_DIR, else the installed service's, else ./vitrine-data)",
    )
    .option(
      "--database <URL>",
      "the server's database, unless it is in the data folder (default: $VITRINE_DATABASE, else the settings file's)",
    )
    .option(
      "--config <FILE>",
      "settings file (default: the installed service's, else vitrine.toml in the data folder)",
    );
}

export function group(name: string, description: string, commands: readonly Command[]): CliCommand {
  const parent = new CliCommand(name).description(description);
  for (const command of commands) parent.addCommand(command);
  return parent;
}
