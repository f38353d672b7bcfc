/**
 * A character class of control characters, line separators, and characters that change the direction of the text
 * around them: a name could otherwise show as another one, or rewrite a terminal.
 */
export const UNPRINTABLE = "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";

/** A pattern for text without such characters and without lone surrogates. */
export const PRINTABLE = `^(?:[^${UNPRINTABLE}\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$`;

const WHOLE = new RegExp(PRINTABLE);
const EACH = new RegExp(`[${UNPRINTABLE}]`, "g");

/** Returns whether a text that somebody gave may be stored and shown to others. */
export function isPrintable(text: string): boolean {
  return WHOLE.test(text);
}

/** Returns a text of another service with a replacement character for each of its unprintable ones. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(EACH, "\ufffd");
}
