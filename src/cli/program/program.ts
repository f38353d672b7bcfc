import type { Argument, Command } from "commander";
import { VERSION } from "../../config/version.ts";
import { sentence } from "../../domain/sentence.ts";
import { CliCommand, type Examples } from "../command.ts";
import { peopleCommands } from "../commands/for-people.ts";
import { UsageError } from "../terminal/errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addMoreHelp, helpWidth } from "./help.ts";

/** What the executable and the client for Node.js do not have in common. */
export interface ProgramParts {
  readonly description: string;
  readonly examples: Examples;
  readonly operatorCommands: () => readonly Command[];
}

/** Returns the command tree. Handlers are loaded when they run. */
export function buildProgram(terminal: Terminal, { description, examples, operatorCommands }: ProgramParts): Command {
  const program = new CliCommand("vitrine")
    .description(description)
    .usage("<command>")
    .version(VERSION.version, "-V, --version", "print the version")
    .examples(...examples);
  const groups: readonly (readonly [heading: string, commands: readonly Command[]])[] = [
    ["Commands:", peopleCommands()],
    ["Other commands:", moreCommands(terminal, program)],
    ["For the operator, on the server's data folder:", operatorCommands()],
  ];
  for (const [heading, commands] of groups) {
    for (const command of commands) program.addCommand(command.helpGroup(heading));
  }
  for (const command of withSubcommands(program)) makeUniform(command, terminal);
  return program;
}

/** Yields a command and all its subcommands. */
export function* withSubcommands(command: Command): Generator<Command> {
  yield command;
  for (const child of command.commands) yield* withSubcommands(child);
}

function moreCommands(terminal: Terminal, program: Command): Command[] {
  return [
    new CliCommand("completion")
      .description("print a shell completion script")
      .argument("<shell>", "bash, zsh or fish")
      .examples(
        "echo 'source <(vitrine completion bash)' >> ~/.bashrc",
        "echo 'source <(vitrine completion zsh)' >> ~/.zshrc",
        "vitrine completion fish > ~/.config/fish/completions/vitrine.fish",
      )
      .action(async (shell: string) => (await import("./completion.ts")).printCompletion(terminal, shell, program)),
    new CliCommand("version")
      .description("print the version")
      .jsonOption()
      .examples("vitrine version", "vitrine version --json", "vitrine version --json > version.json")
      .action(({ json }: { readonly json?: boolean }) =>
        json ? terminal.json(VERSION) : terminal.data(VERSION.version),
      ),
    new CliCommand("help")
      .description("show the help for a command")
      .argument("[command...]")
      .examples("vitrine help", "vitrine help deploy", "vitrine help users add")
      .action((words: readonly string[]) => showHelp(program, words)),
  ];
}

/** `vitrine help users add` is `vitrine users add --help`. Throws UsageError for an unknown command. */
function showHelp(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) throw new UsageError(`unknown command '${words.join(" ")}'`, "See all commands: vitrine help");
    command = next;
  }
  command.outputHelp();
}

/** Attaches a command to the terminal, and makes commander throw usage errors that point to the help. */
function makeUniform(command: Command, terminal: Terminal): void {
  const path = pathOf(command);
  if (command instanceof CliCommand) {
    addMoreHelp(command, terminal);
    command.attach(terminal);
  }
  command
    .configureHelp({
      minWidthToWrap: 20,
      commandDescription: (shown) => sentence(shown.description()),
      // Without what Commander adds, such as what a flag means without a value.
      optionDescription: ({ description }) => description,
      // Both are commands as well, and the first page begins with those.
      ...(command.parent === null && { visibleOptions: () => [] }),
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

/** Returns `<site>` for a required argument, and `[site]` for an optional one. */
function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Returns the command path with a leading space, such as ` users add`; empty for the program itself. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : "";
}
