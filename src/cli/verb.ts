import { Command, Option } from "commander";
import type { Terminal } from "./terminal/terminal.ts";

/** What a verb's module exports: the arguments of its command in order, then the options. */
interface VerbModule<Arguments extends unknown[]> {
  run(terminal: Terminal, ...rest: Arguments): Promise<void>;
}

/**
 * Returns a commander action that loads a verb's module only when the verb runs: `vitrine version` must not pay for
 * the server, nor `vitrine deploy` for the database.
 */
export type Lazy = <Arguments extends unknown[]>(
  load: () => Promise<VerbModule<Arguments>>,
) => (...given: unknown[]) => Promise<void>;

export function lazyFor(terminal: Terminal): Lazy {
  return <Arguments extends unknown[]>(load: () => Promise<VerbModule<Arguments>>) =>
    async (...given: unknown[]) => {
      const { run } = await load();
      // Commander hands over what the command declares, and itself last.
      await run(terminal, ...(given.slice(0, -1) as Arguments));
    };
}

/** Options of every command that talks to a server. */
export interface ClientOptions {
  readonly server?: string;
  readonly token?: string;
}

export interface JsonOption {
  readonly json?: boolean;
}

/** Options of every command that works on the data folder. */
export interface OperatorOptions {
  readonly dataDir?: string;
  readonly config?: string;
}

export function jsonOption(): Option {
  return new Option("--json", "print JSON");
}

/** For lists: at a terminal, they show as much as fits into lines. */
export function longOption(): Option {
  return new Option("-l, --long", "show all values in full, one per line");
}

/** Returns a command that talks to a server over its API. */
export function clientCommand(usage: string, description: string): Command {
  return new Command(usage)
    .description(description)
    .option("--server <URL>", "the server's URL (default: $VITRINE_SERVER, else where you last signed in)")
    .option("--token <TOKEN>", "session or deployment token (default: $VITRINE_TOKEN, else the one that login saved)");
}

/** Returns a command that works on the data folder; settings of `serve` reach it by variable and vitrine.toml. */
export function operatorCommand(usage: string, description: string): Command {
  return new Command(usage)
    .description(description)
    .option(
      "--data-dir <FOLDER>",
      "the server's data folder (default: $VITRINE_DATA_DIR, else the installed service's, else ./vitrine-data)",
    )
    .option(
      "--config <FILE>",
      "settings file (default: the installed service's, else vitrine.toml in the data folder)",
    );
}

/** Returns a command that only has others below it. */
export function group(name: string, description: string, commands: readonly Command[]): Command {
  const parent = new Command(name).description(description);
  for (const command of commands) parent.addCommand(command);
  return parent;
}
