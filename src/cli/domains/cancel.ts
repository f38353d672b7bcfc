import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { moveTransition } from "./transition.ts";

/** Gives up a domain's move to another mode; the mode in force stays. */
export async function run(
  terminal: Terminal,
  site: string,
  hostname: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const claim = await moveTransition(terminal, "cancel", site, hostname, options);
  terminal.done(`${claim.hostname} stays in ${claim.mode} mode.`);
}
