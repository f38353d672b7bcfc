import { quote } from "../quote.ts";

/** Returns whether a text is a SHA-256 in lower-case hexadecimal, the name of content. */
export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Describes an invalid digest for a message. A database from elsewhere can contain anything in its place. */
export function invalidDigest(text: string): string {
  return `${quote(text, 80)}, which is no SHA-256 digest`;
}
