import { countCharacters } from "../characters.ts";
import { DomainError } from "../errors.ts";
import { isPrintable } from "../quote.ts";
import type { Freeze } from "../sites/freeze.ts";

/** Who signs people in. */
export type ProviderName = "local" | "github" | "oidc";

/** A person. Kept by the provider's own unchanging id (`subject`), shown by login. */
export interface User {
  readonly id: number;
  readonly provider: ProviderName;
  readonly subject: string;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
  /** Whether the person may own sites: the operator added them, or sign-up is open. Readers may sign in without it. */
  readonly mayOwn: boolean;
  readonly createdAt: number;
  /** Whether the person operates this server: the console is theirs. */
  readonly operator: boolean;
  /** Null unless the operator froze the account. */
  readonly frozen: Freeze | null;
}

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
