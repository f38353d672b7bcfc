import type { Secrets } from "../ports/secrets.ts";

/** Consonants only, none that looks like another: no words, no mistakes (RFC 8628 section 6.1). 20^8 are 34.5 bits. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** Returns a fresh user code as people see it: `WDJB-MJHT`. */
export function newUserCode(secrets: Pick<Secrets, "random">): string {
  let letters = "";
  while (letters.length < LENGTH) {
    for (const byte of secrets.random(LENGTH)) {
      // 240 is the largest multiple of 20 in a byte: beyond it some letters would come more often.
      if (byte < 240 && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Returns what a person typed in the form that was issued, forgiving case, spaces and hyphens; null when it is no code. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s\p{Pd}]/gu, "");
  const isCode = letters.length === LENGTH && [...letters].every((letter) => ALPHABET.includes(letter));
  return isCode ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null;
}
