/** As a class of a regular expression: what does not print, or hides or writes over what stands around it. */
const UNPRINTABLE = "\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";

/** As a pattern: text of which nothing hides, or writes over, what stands around it, or is half a character. */
export const PRINTABLE = `^(?:[^${UNPRINTABLE}\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$`;

const WHOLE = new RegExp(PRINTABLE);

export function isPrintable(text: string): boolean {
  return WHOLE.test(text);
}

const EACH = new RegExp(`[${UNPRINTABLE}]`, "g");

/** Returns text in quotation marks, as JSON, with everything escaped that would not print; cut after `longest` characters. */
export function quote(text: string, longest = Number.POSITIVE_INFINITY): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return JSON.stringify(shown).replace(EACH, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
