import { printable } from "../domain/printable.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function warn(terminal: Terminal, text: string): void {
  terminal.say(`${terminal.style.yellow("warning:")} ${printable(text)}`);
}
