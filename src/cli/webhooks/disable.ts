import type { Terminal } from "../terminal/terminal.ts";
import { type SwitchOptions, switchWebhook } from "./switch.ts";

/** Switches a webhook off: it gives up what it was still to be told. */
export function run(terminal: Terminal, site: string, id: string, options: SwitchOptions): Promise<void> {
  return switchWebhook(terminal, [site, id], false, options);
}
