import { unknownVariables } from "../config/settings.ts";
import { printable } from "./terminal/style.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Says what a person should know although the command goes on. */
export function warn(terminal: Terminal, text: string): void {
  terminal.say(`${terminal.style.yellow("warning:")} ${printable(text)}`);
}

/** Warns of each variable that looks like a setting and has no effect. */
export function warnOfUnknownVariables(terminal: Terminal): void {
  for (const { name, meant } of unknownVariables(terminal.env)) {
    warn(terminal, `${name} is not a setting and has no effect${meant ? `; did you mean ${meant}?` : "."}`);
  }
}
