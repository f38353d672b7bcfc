/** Returns the message of an error as a sentence on a page: with a capital letter and a full stop. */
export function sentence(message: string): string {
  return `${capitalized(message)}${/[.!?]$/.test(message) ? "" : "."}`;
}

/** Returns a text with a capital letter. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
