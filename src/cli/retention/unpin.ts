import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";
import { setPinned } from "./pinning.ts";

/** Leaves a deployment to the policy again. */
export async function run(terminal: Terminal, site: string, number: string, options: OperatorOptions): Promise<void> {
  await setPinned(terminal, site, number, options, false);
  terminal.done(`Deployment ${number} of ${site} is unpinned.`);
}
