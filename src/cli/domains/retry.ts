import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { moveTransition } from "./transition.ts";

/** Tries a domain's move to another mode again, with a fresh hour. */
export async function run(
  terminal: Terminal,
  site: string,
  hostname: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const claim = await moveTransition(terminal, "retry", site, hostname, options);
  terminal.done(`Switching ${claim.hostname} to ${claim.target_mode} mode; this takes up to an hour.`);
}
