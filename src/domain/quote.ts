import { UNPRINTABLE } from "./printable.ts";

const EACH = new RegExp(`[${UNPRINTABLE}]`, "g");

/** Quotes text as JSON, with unprintable characters escaped; truncated after `longest` characters. */
export function quote(text: string, longest = Number.POSITIVE_INFINITY): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return JSON.stringify(shown).replace(EACH, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
