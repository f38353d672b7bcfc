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

/**
 * Removes control characters from untrusted text: a site name or an error could contain escape sequences that
 * rewrite the screen or the clipboard.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** Everything that moves the cursor or changes the terminal: control characters other than tab and line feed, and colours. */
const COMMANDS = /(?!\u001b\[(?:1|2|22|31|32|33|36|39)m)[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Removes what could rewrite the screen, but keeps the lines and colours of our own messages. */
export function harmless(text: string): string {
  return text.replaceAll(COMMANDS, "\ufffd");
}
