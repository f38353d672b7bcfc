import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";
import { setPinned } from "./pinning.ts";

/** Keeps a deployment, whatever the policy says. */
export async function run(terminal: Terminal, site: string, number: string, options: OperatorOptions): Promise<void> {
  await setPinned(terminal, site, number, options, true);
  terminal.done(`Deployment ${number} of ${site} is pinned.`);
}
