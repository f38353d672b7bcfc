import { countCharacters } from "../characters.ts";
import { DomainError } from "../errors.ts";

/** NIST SP 800-63B section 3.1.1: at least 8 characters, counted in code points. */
export const MIN_PASSWORD_LENGTH = 8;
/** Limits the time for hashing. */
export const MAX_PASSWORD_LENGTH = 1024;

/** Returns why a text is unusable as a new password, or null. */
export function passwordProblem(password: string): string | null {
  if (password === "") return "The password is empty.";
  if (countCharacters(password) < MIN_PASSWORD_LENGTH)
    return `The password needs at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (isPasswordTooLong(password)) return `The password may have at most ${MAX_PASSWORD_LENGTH} characters.`;
  return null;
}

/** Throws `invalid` for an unusable new password. */
export function checkNewPassword(password: string): void {
  const problem = passwordProblem(password);
  if (problem !== null) throw new DomainError("invalid", problem);
}

/** Returns whether a text is too long for a password, so that it need not be hashed. */
export function isPasswordTooLong(password: string): boolean {
  return countCharacters(password) > MAX_PASSWORD_LENGTH;
}
