import { DomainError } from "../errors.ts";
import { type Freeze, requireUnfrozenAccount } from "../model/freeze.ts";
import type { Identity, SignedIn, Signup, User } from "../model/user.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";

/** The stored account or invitation of somebody who wants to sign in. */
export interface Candidate {
  readonly mayOwn: boolean;
  readonly frozen: Freeze | null;
  /** True if the user is a reader or a member of any site, themselves or through a group. */
  readonly hasRole: boolean;
}

/**
 * Admits a person whom the provider signed in, and returns the stored user. Throws `forbidden` without
 * changes: with sign-up closed only users whom the operator added, members and readers are admitted, and never
 * frozen users.
 */
export function admit(
  ports: { store: Pick<Store, "users">; clock: Clock; signup: Signup },
  identity: SignedIn,
): Promise<User> {
  return ports.store.users.admit(identity, ports.clock.now(), ports.signup);
}

/** Returns whether the user may own sites. Throws `forbidden` if they are not admitted. */
export function decideAdmission(candidate: Candidate | null, identity: Identity, signup: Signup): boolean {
  requireUnfrozenAccount(candidate?.frozen ?? null);
  // A removed local account is not admitted, even with open sign-up.
  if (candidate === null && identity.provider === "local") throw notAdmitted(identity);
  if (signup === "open" || candidate?.mayOwn) return true;
  if (candidate?.hasRole) return false;
  throw notAdmitted(identity);
}

function notAdmitted({ login }: Identity): DomainError {
  return new DomainError(
    "forbidden",
    `${login} is not admitted here: ask the operator to run vitrine users add ${login}, or a site's owner to add you as a reader or a member`,
  );
}
