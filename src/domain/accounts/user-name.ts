import { countCharacters } from "../characters.ts";
import { DomainError } from "../errors.ts";
import { isPrintable } from "../quote.ts";

export const MAX_USER_NAME_LENGTH = 100;

/** Returns what keeps a text from being the name of a person, or null. */
export function userNameProblem(name: string): string | null {
  if (countCharacters(name) > MAX_USER_NAME_LENGTH)
    return `The name may have at most ${MAX_USER_NAME_LENGTH} characters.`;
  return isPrintable(name) ? null : "The name may not hold control characters.";
}

/** Throws `invalid` for a text that cannot be the name of a person; none is fine. */
export function checkUserName(name: string | null): void {
  const problem = name === null ? null : userNameProblem(name);
  if (problem !== null) throw new DomainError("invalid", problem);
}
