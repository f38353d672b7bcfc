import { VERSION } from "../app/version.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { JsonOption } from "./verb.ts";

/** Prints the program's version; with --json also the commit it was built from. */
export async function run(terminal: Terminal, options: JsonOption): Promise<void> {
  if (options.json) return terminal.json(VERSION);
  terminal.data(VERSION.version);
}
