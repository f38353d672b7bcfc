import { countCharacters } from "../characters.ts";
import { DomainError } from "../errors.ts";
import { isPrintable } from "../printable.ts";
import type { Freeze } from "./freeze.ts";
import type { ToldGroups } from "./group.ts";

/** The identity provider. */
export type ProviderName = "local" | "github" | "oidc";

/** A user at the identity provider. */
export interface Identity {
  readonly provider: ProviderName;
  /** The provider's permanent ID of the user; the only link between a sign-in and an account. */
  readonly subject: string;
  /** The login, which can be changed, or reassigned to somebody else, at the provider. */
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
}

/** A user whom the provider has just signed in. */
export interface SignedIn extends Identity {
  /** Absent if the provider is not asked for groups. */
  readonly groups?: ToldGroups;
}

/** A user, identified by the provider's permanent ID (`subject`) and displayed by login. */
export interface User extends Identity {
  readonly id: number;
  /** True if the user may own sites: the operator added them, or sign-up is open. Readers sign in without it. */
  readonly mayOwn: boolean;
  readonly createdAt: number;
  /** True if the user is an operator, who has the console. */
  readonly operator: boolean;
  /** Null unless the operator froze the account. */
  readonly frozen: Freeze | null;
}

/** Determines who may own sites: users whom the operator added, or everyone whom the provider knows. */
export type Signup = "closed" | "open";

export const MAX_USER_NAME_LENGTH = 100;

/** Returns why a text is unusable as a display name, or null. */
export function userNameProblem(name: string): string | null {
  if (countCharacters(name) > MAX_USER_NAME_LENGTH)
    return `The name may have at most ${MAX_USER_NAME_LENGTH} characters.`;
  return isPrintable(name) ? null : "The name may not hold control characters.";
}

/** Throws `invalid` for an unusable display name; null is allowed. */
export function checkUserName(name: string | null): void {
  const problem = name === null ? null : userNameProblem(name);
  if (problem !== null) throw new DomainError("invalid", problem);
}
