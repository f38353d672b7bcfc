import { Command } from "commander";
import { VERSION } from "../app/version.ts";
import { UsageError } from "./errors.ts";
import { operatorCommands } from "./operator-commands.ts";
import { peopleCommands } from "./people-commands.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { jsonOption, type Lazy, lazyFor } from "./verb.ts";

/** Returns the whole command line as commander's tree; verbs are loaded when they run. */
export function buildProgram(terminal: Terminal): Command {
  const lazy = lazyFor(terminal);
  const program = new Command("vitrine")
    .description("Hosts static websites: one executable, one port, one data folder.")
    .usage("<command>")
    .version(VERSION.version, "-V, --version", "print the version");
  const groups: readonly [string, readonly Command[]][] = [
    ["For the operator, on the data folder:", operatorCommands(lazy)],
    ["For people and CI, over the API:", peopleCommands(lazy)],
    ["More:", moreCommands(lazy, program)],
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
      .description("print a completion script for a shell")
      .argument("<shell>", "bash, zsh or fish")
      .addHelpText("after", COMPLETION_HELP)
      .action((shell: string) => lazy(() => import("./completion.ts"))(shell, program, null)),
    new Command("version")
      .description("print the version")
      .addOption(jsonOption())
      .action(lazy(() => import("./version.ts"))),
    new Command("help")
      .description("show help for a command")
      .argument("[command...]")
      .action((words: readonly string[]) => showHelp(program, words)),
  ];
}

const COMPLETION_HELP = `
  bash  echo 'source <(vitrine completion bash)' >> ~/.bashrc
  zsh   echo 'source <(vitrine completion zsh)' >> ~/.zshrc
  fish  vitrine completion fish > ~/.config/fish/completions/vitrine.fish`;

/** `vitrine help users add` is `vitrine users add --help`; a word that is no command is wrong usage. */
function showHelp(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) throw new UsageError(`unknown command '${words.join(" ")}'`, "vitrine help lists all commands.");
    command = next;
  }
  command.outputHelp();
}

/** Errors end in an exception with exit status 2, never in the middle of the process, and point to the help. */
function makeUniform(command: Command, terminal: Terminal): void {
  const path = pathOf(command);
  command
    .exitOverride()
    .allowExcessArguments(false)
    .helpCommand(false)
    .helpOption("-h, --help", "show this help")
    .showHelpAfterError(`vitrine help${path} shows how it is used.`)
    .configureOutput({
      writeOut: (text) => terminal.data(text.trimEnd()),
      writeErr: (text) => terminal.say(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error:/, terminal.style.red("error:"))),
    });
}

/** Returns ` users add` for that command, and nothing for the program itself. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : "";
}
