import { countCharacters } from "../characters.ts";
import { DomainError } from "../errors.ts";

/** NIST SP 800-63B section 3.1.1: at least 8 characters, each Unicode code point counting as one. */
export const MIN_PASSWORD_LENGTH = 8;
/** Hashing takes time for each byte; no person types more. */
export const MAX_PASSWORD_LENGTH = 1024;

/** Returns what keeps a text from being a new password, or null. */
export function passwordProblem(password: string): string | null {
  if (password === "") return "The password is empty.";
  if (countCharacters(password) < MIN_PASSWORD_LENGTH)
    return `The password needs at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (isPasswordTooLong(password)) return `The password may have at most ${MAX_PASSWORD_LENGTH} characters.`;
  return null;
}

/** Throws `invalid` for a text that cannot be a new password. */
export function checkNewPassword(password: string): void {
  const problem = passwordProblem(password);
  if (problem !== null) throw new DomainError("invalid", problem);
}

/** Whether no password can be so long: such a one is not worth hashing. */
export function isPasswordTooLong(password: string): boolean {
  return countCharacters(password) > MAX_PASSWORD_LENGTH;
}
