/** A character class of unprintable characters, and of those that hide or overwrite the text around them. */
const UNPRINTABLE = "\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";

/** A pattern for text without such characters and without lone surrogates. */
export const PRINTABLE = `^(?:[^${UNPRINTABLE}\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$`;

const WHOLE = new RegExp(PRINTABLE);

export function isPrintable(text: string): boolean {
  return WHOLE.test(text);
}

const EACH = new RegExp(`[${UNPRINTABLE}]`, "g");

/** Quotes text as JSON, with unprintable characters escaped; truncated after `longest` characters. */
export function quote(text: string, longest = Number.POSITIVE_INFINITY): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return JSON.stringify(shown).replace(EACH, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
