import type { Command } from "commander";
import { settingsTable } from "../../config/settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { EXECUTABLE } from "./executable.ts";
import { buildProgram, pathOf, withSubcommands } from "./program.ts";

const INTRODUCTION = `# Reference

This page is made from the code by \`npm run reference\`: every setting, every command with its help, and every route.

## Settings

Each setting is a flag of \`vitrine serve\`, an environment variable, and a key of \`vitrine.toml\` in the data folder (or of
the file that \`--config\` or \`VITRINE_CONFIG\` names). A key is the flag without its leading dashes. A flag overrides the
variable, which overrides the file, which overrides the default; an empty variable counts as not set. Relative paths start
at the working folder, in \`vitrine.toml\` at the folder of that file. Sizes are bytes, or have a unit (\`512MiB\`); lists are
separated by commas, or are TOML lists. An unknown key or an unusable value stops the start with one line that names it.
An unknown \`VITRINE_…\` variable is a warning at the start, with the nearest name.`;

const COMMANDS = `## Commands

Data goes to stdout, and everything meant for people to stderr. \`--json\` prints data as JSON. The exit status is 0 when the
command is done, 1 when it failed, 2 for wrong usage, and 3 when the deploy report held a deployment back. Colours,
progress bars and questions appear on terminals only; \`NO_COLOR\` switches colours off. \`vitrine completion bash\` prints a completion script; zsh and fish work as well.`;

/** Its help would repeat the table of settings. */
const SERVE =
  "### `vitrine serve`\n\nRuns the server. Every setting above is an option; `--config FILE` names the settings file.";

const ROUTES = `## Routes

Every route of the base host. A server describes its own with parameters, bodies and errors at \`/docs\`. A private site has
its own routes below \`/.vitrine\`, and every other path of a site is a file's.`;

/** Returns the reference of all settings, commands and routes as Markdown. `routes` is the table of routes. */
export function referencePage(terminal: Terminal, routes: string): string {
  const commands = [...withSubcommands(buildProgram(terminal, EXECUTABLE))].filter(
    (command) => command.parent !== null,
  );
  const sections = commands.map((command) => (command.name() === "serve" ? SERVE : commandSection(command)));
  return `${[INTRODUCTION, settingsTable(), COMMANDS, ...sections, ROUTES, routes].join("\n\n")}\n`;
}

// --- internal ---

function commandSection(command: Command): string {
  let help = "";
  const { writeOut, ...output } = command.configureOutput();
  command.configureOutput({ ...output, writeOut: (text) => (help += text) });
  command.outputHelp();
  command.configureOutput({ ...output, ...(writeOut ? { writeOut } : {}) });
  return `### \`vitrine${pathOf(command)}\`\n\n\`\`\`\n${help.trim()}\n\`\`\``;
}
