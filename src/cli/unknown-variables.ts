import { unknownVariables } from "../config/settings.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { warn } from "./warn.ts";

/** Warns about each VITRINE_ variable that is not a setting. */
export function warnOfUnknownVariables(terminal: Terminal): void {
  for (const { name, meant } of unknownVariables(terminal.env)) {
    warn(terminal, `${name} is not a setting and has no effect${meant ? `; did you mean ${meant}?` : "."}`);
  }
}
