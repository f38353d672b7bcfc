import { type Argument, Command } from "commander";
import { VERSION } from "../app/version.ts";
import { sentence, UsageError } from "./errors.ts";
import { addMoreHelp, helpWidth } from "./help.ts";
import { operatorCommands } from "./operator-commands.ts";
import { peopleCommands } from "./people-commands.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { jsonOption, type Lazy, lazyFor } from "./verb.ts";

/** Returns the whole command line as commander's tree; verbs are loaded when they run. */
export function buildProgram(terminal: Terminal): Command {
  const lazy = lazyFor(terminal);
  const program = new Command("vitrine")
    .description("hosts static websites: one executable, one port, one data folder")
    .usage("<command>")
    .version(VERSION.version, "-V, --version", "print the version");
  const groups: readonly [string, readonly Command[]][] = [
    ["For the operator, on the server's data folder:", operatorCommands(lazy)],
    ["For everyone, over the API:", peopleCommands(lazy)],
    ["Other commands:", moreCommands(lazy, program)],
  ];
  for (const [heading, commands] of groups) {
    for (const command of commands) program.addCommand(command.helpGroup(heading));
  }
  for (const command of withSubcommands(program)) makeUniform(command, terminal);
  return program;
}

/** Yields a command and all below it. */
export function* withSubcommands(command: Command): Generator<Command> {
  yield command;
  for (const child of command.commands) yield* withSubcommands(child);
}

function moreCommands(lazy: Lazy, program: Command): Command[] {
  return [
    new Command("completion")
      .description("print a shell completion script")
      .argument("<shell>", "bash, zsh or fish")
      .action((shell: string) => lazy(() => import("./completion.ts"))(shell, program, null)),
    new Command("version")
      .description("print the version")
      .addOption(jsonOption())
      .action(lazy(() => import("./version.ts"))),
    new Command("help")
      .description("show the help for a command")
      .argument("[command...]")
      .action((words: readonly string[]) => showHelp(program, words)),
  ];
}

/** `vitrine help users add` is `vitrine users add --help`; a word that is no command is wrong usage. */
function showHelp(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) throw new UsageError(`unknown command '${words.join(" ")}'`, "See all commands: vitrine help");
    command = next;
  }
  command.outputHelp();
}

/** Errors end in an exception with exit status 2, never in the middle of the process, and point to the help. */
function makeUniform(command: Command, terminal: Terminal): void {
  const path = pathOf(command);
  addMoreHelp(command, path.trimStart(), terminal);
  command
    .configureHelp({
      minWidthToWrap: 20,
      commandDescription: (shown) => sentence(shown.description()),
      subcommandTerm: (child) => [child.name(), ...child.registeredArguments.map(termOf)].join(" "),
    })
    .exitOverride()
    .allowExcessArguments(false)
    .helpCommand(false)
    .helpOption("-h, --help", "show this help")
    .showHelpAfterError(`See the usage: vitrine help${path}`)
    .configureOutput({
      getOutHelpWidth: () => helpWidth(terminal),
      getErrHelpWidth: () => helpWidth(terminal),
      writeOut: (text) => terminal.data(text.trimEnd()),
      writeErr: (text) => terminal.say(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error:/, terminal.style.red("error:"))),
    });
}

/** Returns `<site>` for an argument that is needed, and `[site]` for one that is not. */
function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Returns ` users add` for that command, and nothing for the program itself. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : "";
}
