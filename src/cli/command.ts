import { Command } from "commander";
import { ApiError, renameFields } from "./client/api-error.ts";
import type { ListOptions } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Runs a command with what its declaration says first, its arguments in order, then its options. */
type Handler<First extends readonly unknown[] = []> = (
  terminal: Terminal,
  ...rest: [...First, ...never[]]
) => Promise<void>;

/** One to three. Each shows something that the others do not; what every command has needs none. */
export type Examples = readonly [string, string?, string?];

/** A command whose handler is loaded when it runs, with additional help below the options. */
export class CliCommand extends Command {
  #handler: Handler | null = null;
  /** Explains details that the description and the options lack. */
  helpNote: string | null = null;
  /** Working examples, at most three. */
  helpExamples: readonly string[] = [];

  note(text: string): this {
    this.helpNote = text;
    return this;
  }

  examples(...examples: Examples): this {
    this.helpExamples = examples.filter((example) => example !== undefined);
    return this;
  }

  jsonOption(): this {
    return this.option("--json", "print JSON");
  }

  /** For lists. Without `--long`, a list at a terminal is truncated to its width. */
  listOptions(): this {
    return this.option("-l, --long", "show all values in full, one per line").jsonOption();
  }

  /** The rules of a retention policy, as `policyOf` reads them. */
  policyOptions(): this {
    return this.option("--keep-last <N>", "keep the newest N deployments")
      .option("--keep-days <N>", "keep deployments created or active within the last N days")
      .option("--grace-days <N>", "serve fingerprinted files of a replaced deployment for N days, 0 to 90")
      .option("--default", "use the server's policy")
      .note(
        "A deployment stays if either rule keeps it. The active one, the one before it and pinned ones always stay.",
      );
  }

  /**
   * Names the handler. Its module is imported only when the command runs: `vitrine version` must not load the server, nor
   * `vitrine deploy` the database. `first` tells apart the commands that share a handler.
   */
  runs<Name extends string, const First extends readonly unknown[]>(
    load: () => Promise<{ readonly [name in Name]: Handler<First> }>,
    name: Name,
    ...first: First
  ): this {
    this.#handler = async (terminal, ...given) => (await load())[name](terminal, ...first, ...given);
    return this;
  }

  /** Gives the handler the terminal to write to. */
  attach(terminal: Terminal): void {
    const handler = this.#handler;
    // Commander passes the declared arguments and options, and then the command itself.
    if (handler) {
      this.action((...given: unknown[]) =>
        handler(terminal, ...(given.slice(0, -1) as never[])).catch((error) => this.#rethrow(error)),
      );
    }
  }

  /** Names the options of this command instead of the API's fields, which the caller has not seen. */
  #rethrow(error: unknown): never {
    const names = this.options.flatMap(({ long }) => long ?? []);
    throw error instanceof ApiError ? renameFields(error, (field) => optionOf(field, names)) : error;
  }
}

/** Options of every command that works on the data folder. */
export interface OperatorOptions {
  readonly dataDir?: string;
  readonly database?: string;
  readonly config?: string;
  /** Only of commands with `jsonOption`. */
  readonly json?: boolean;
}

export type OperatorListOptions = OperatorOptions & ListOptions;

/** Returns a command that calls the API. `usage` is its name with the arguments that need no description. */
export function clientCommand(usage: string, description: string): CliCommand {
  return newCommand(usage, description)
    .option(
      "--server <URL>",
      "the server's URL (default: $VITRINE_SERVER, else the server that this client came from, else where you last signed in)",
    )
    .option("--token <TOKEN>", "session or deployment token (default: $VITRINE_TOKEN, else the one that login saved)");
}

/** Like `clientCommand`, for a command that works on the data folder. It reads settings from variables and vitrine.toml only. */
export function operatorCommand(usage: string, description: string): CliCommand {
  return newCommand(usage, description)
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

/** Returns the option that sets a field of the API: `--expires-in` or `--expires` for `expires_in`; null for none. */
export function optionOf(field: string, options: readonly string[]): string | null {
  // The last part of a path such as `X-Service-Expires`, `target.alias` or `events.0`.
  const [last = ""] = field.match(/[a-z][a-z_-]*(?=[.\d]*$)/i) ?? [];
  const name = last
    .replace(/^x-service-/i, "")
    .replaceAll("_", "-")
    .toLowerCase();
  // The value of --preview is the alias.
  const names = [name, name.replace(/-(in|number)$/, ""), ...(name === "alias" ? ["preview"] : [])];
  return names.map((one) => `--${one}`).find((option) => options.includes(option)) ?? TYPED[field] ?? null;
}

/** Fields whose values are typed, and not given as options. */
const TYPED: Readonly<Record<string, string>> = { new_password: "the new password" };

export function group(name: string, description: string, commands: readonly Command[]): CliCommand {
  const parent = new CliCommand(name).description(description);
  for (const command of commands) parent.addCommand(command);
  return parent;
}

// --- internal ---

function newCommand(usage: string, description: string): CliCommand {
  const [name, ...args] = usage.split(" ");
  const created = new CliCommand(name).description(description);
  for (const argument of args) created.argument(argument);
  return created;
}
