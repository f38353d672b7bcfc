import { expect, test } from "bun:test";
import type { Command } from "commander";
import { CliCommand } from "../command.ts";
import { capturedTerminal, runCli } from "../testing/run-cli.ts";
import { EXECUTABLE } from "./executable.ts";
import { buildProgram, withSubcommands } from "./program.ts";

/** The examples of each command, by its words. */
const examplesOf = [...withSubcommands(buildProgram(capturedTerminal(), EXECUTABLE))].map(
  (command): [string, readonly string[]] => {
    const names: string[] = [];
    for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
    return [names.join(" "), command instanceof CliCommand ? command.helpExamples : []];
  },
);

test("the one to three examples of a command use that command and differ", () => {
  for (const [path, examples] of examplesOf) {
    expect(new Set(examples).size, path).toBe(examples.length);
    expect(examples.length, path).toBeWithin(1, 4);
    for (const example of examples) expect(example, path).toContain(`vitrine ${path}`.trimEnd());
  }
});

test("the help begins with what a new user needs, fits its lines, and ends with the commands of the operator", async () => {
  const { stdout } = await runCli(["help"]);
  const words = [...stdout.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, word]) => word);
  expect(words.slice(0, 3)).toEqual(["deploy", "login", "sites"]);
  expect(words.filter((word) => word !== "vitrine").at(-1)).toBe("doctor");
  expect(stdout).not.toMatch(/^ {10}/m);
});

/** Splits an example into words as a shell does, up to a pipe or redirection. */
function wordsOf(example: string): string[] {
  const [, line = ""] = /vitrine (.*?)(?: [<>|].*|\)'.*)?$/.exec(example) ?? [];
  const words = line.match(/\$\([^)]*\)|'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll(/^['"]|['"]$/g, ""));
}

test.each(examplesOf.flatMap(([, examples]) => examples))("%s is accepted", async (example) => {
  const program = buildProgram(capturedTerminal(), EXECUTABLE);
  let ran = false;
  for (const command of withSubcommands(program)) {
    if (command.commands.length > 0) continue;
    command.action(() => {
      ran = true;
    });
  }
  // `--version` throws an exception with exit code 0.
  const error = await program.parseAsync(wordsOf(example), { from: "user" }).then(
    () => null,
    (reason) => reason,
  );
  expect(ran || error?.exitCode === 0).toBe(true);
});

test.each([60, 80])("at %p columns no line of a help text is wider, except examples", (dataColumns) => {
  const terminal = { ...capturedTerminal(), dataColumns };
  for (const command of withSubcommands(buildProgram(terminal, EXECUTABLE))) {
    terminal.out.length = 0;
    command.outputHelp();
    const lines = terminal.out.join("").split("\n");
    const examples = lines.indexOf("Examples:");
    // A single word cannot be broken.
    const tooWide = lines.slice(1, examples).filter((line) => line.length > dataColumns && line.trim().includes(" "));
    expect(tooWide).toEqual([]);
  }
});

test("note and examples are printed below the options", async () => {
  const { stdout } = await runCli(["help", "freeze"]);
  expect(stdout).toEndWith(`
Examples:
  vitrine freeze hello
  vitrine freeze hello --reason 'reported as phishing'
`);
});

test("the help of serve shows the default of a switch, and nothing else after its description", async () => {
  const { stdout } = await runCli(["help", "serve"]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "--admin [on|off] the console for operators, /admin, and its API (default: on) --",
  );
});
