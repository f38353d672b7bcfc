import { unknownVariables } from "../config/settings.ts";
import { printable } from "../domain/printable.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function warn(terminal: Terminal, text: string): void {
  terminal.say(`${terminal.style.yellow("warning:")} ${printable(text)}`);
}

/** Warns about each VITRINE_ variable that is not a setting. */
export function warnOfUnknownVariables(terminal: Terminal): void {
  for (const { name, meant } of unknownVariables(terminal.env)) {
    warn(terminal, `${name} is not a setting and has no effect${meant ? `; did you mean ${meant}?` : "."}`);
  }
}
