import { formatBytes } from "../../domain/byte-size.ts";
import { DomainError } from "../../domain/errors.ts";
import { quote } from "../../domain/quote.ts";

/** Longer names are truncated in messages, so that they cannot fill the log. */
const SHOWN_CHARACTERS = 200;

/** Returns the error for an invalid archive; `problem` says what is wrong and what to do. */
export function refusedArchive(problem: string): DomainError {
  return new DomainError("invalid", `archive is invalid: ${problem}`);
}

/** The same for one entry: `refusedEntry("a.txt", "is encrypted: …")`. */
export function refusedEntry(name: string, problem: string): DomainError {
  return refusedArchive(`entry ${quoted(name)} ${problem}`);
}

export function overLimit(problem: string): DomainError {
  return new DomainError("limit_exceeded", `a deployment limit was exceeded: ${problem}`);
}

export function quoted(name: string): string {
  return quote(name, SHOWN_CHARACTERS);
}

/** Formats two sizes, exactly if they would look the same otherwise. */
export function inDifferentBytes(one: number, other: number): readonly [string, string] {
  const [short, otherShort] = [formatBytes(one), formatBytes(other)];
  return short === otherShort ? [`${one} bytes`, `${other} bytes`] : [short, otherShort];
}
