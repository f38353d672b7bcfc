import { UNPRINTABLE } from "../../domain/printable.ts";

type Paint = (text: string) => string;

/** Colours text for a terminal, or leaves it unchanged. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

export function styleFor(colours: boolean): Style {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      colours ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** What is unprintable, except tab, line feed and colours. */
const COMMANDS = new RegExp(`(?!\\u001b\\[(?:1|2|22|31|32|33|36|39)m)(?![\\t\\n])[${UNPRINTABLE}]`, "g");

/** Removes what could rewrite the screen, but keeps the lines and colours of our own messages. */
export function harmless(text: string): string {
  return text.replaceAll(COMMANDS, "\ufffd");
}
