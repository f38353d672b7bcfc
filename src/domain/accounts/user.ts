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
