import type { Terminal } from "../terminal/terminal.ts";
import { type SwitchOptions, switchWebhook } from "./switch.ts";

/** Switches a webhook on again. What it was not told meanwhile can be delivered again one by one. */
export function run(terminal: Terminal, site: string, id: string, options: SwitchOptions): Promise<void> {
  return switchWebhook(terminal, [site, id], true, options);
}
