import { DomainError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import { type Freeze, requireUnfrozenAccount } from "../sites/freeze.ts";
import type { User } from "./user.ts";

/** Who may own sites: those whom the operator added, or anyone whom the provider knows. */
export type Signup = "closed" | "open";

/** What is kept about somebody who wants to sign in: their account, or an invitation to their login. */
export interface Candidate {
  readonly mayOwn: boolean;
  readonly frozen: Freeze | null;
  /** Whether they are a reader of any site. */
  readonly readsAnything: boolean;
}

/**
 * Returns the person whom the provider signed in, as the store knows them from now on, or throws `forbidden`, with nothing
 * changed: with sign-up closed only people whom the operator added and readers of some site come in, and nobody whom
 * the operator froze.
 */
export function admit(
  ports: { store: Pick<Store, "users">; clock: Clock; signup: Signup },
  identity: Identity,
): Promise<User> {
  return ports.store.users.admit(identity, ports.clock.now(), ports.signup);
}

/** Returns whether the person may own sites from now on. Throws `forbidden` when they may not come in at all. */
export function decideAdmission(candidate: Candidate | null, identity: Identity, signup: Signup): boolean {
  requireUnfrozenAccount(candidate?.frozen ?? null);
  // A built-in account that is gone is nobody's, whoever may sign up.
  if (candidate === null && identity.provider === "local") throw notAdmitted(identity);
  if (signup === "open" || candidate?.mayOwn) return true;
  if (candidate?.readsAnything) return false;
  throw notAdmitted(identity);
}

function notAdmitted({ login }: Identity): DomainError {
  return new DomainError(
    "forbidden",
    `${login} is not admitted here. Ask the operator to run: vitrine users add ${login}, or a site's owner to add you as a reader.`,
  );
}
