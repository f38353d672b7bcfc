import { quote } from "../quote.ts";

/** Whether a text is a SHA-256 as content is named by: 64 hexadecimal digits in lower case. */
export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Returns a digest that is none, and says so. A database that somebody else made can hold anything in its place. */
export function notDigest(text: string): string {
  return `${quote(text, 80)}, which is no SHA-256 digest`;
}
