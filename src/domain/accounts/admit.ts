import { DomainError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import { requireUnfrozenAccount } from "../sites/freeze.ts";
import type { User } from "./user.ts";

/** Who may own sites: those whom the operator added, or anyone whom the provider knows. */
export type Signup = "closed" | "open";

/**
 * Returns the person whom the provider signed in, as the store knows them from now on, or throws `forbidden`: with
 * sign-up closed only people whom the operator added and readers of some site come in, and nobody whom the operator froze.
 */
export async function admit(
  ports: { store: Pick<Store, "users" | "readers">; clock: Clock; signup: Signup },
  identity: Identity,
): Promise<User> {
  const { users, readers } = ports.store;
  const known = await users.findBySubject(identity.provider, identity.subject);
  requireUnfrozenAccount(known?.frozen ?? null);
  if (identity.provider === "local") return known ?? refuse(identity);
  // A stranger from OpenID Connect is written down even when refused: a site's owner can find nobody else as a reader.
  if (known === null && ports.signup === "closed" && identity.provider !== "oidc") return refuse(identity);
  const user = await users.recognize(identity, ports.clock.now());
  if (user.mayOwn) return user;
  if (ports.signup === "open") {
    await users.setMayOwn(user.id, true);
    return { ...user, mayOwn: true };
  }
  return (await readers.readsAnything(user.id)) ? user : refuse(identity);
}

function refuse({ login }: Identity): never {
  throw new DomainError(
    "forbidden",
    `${login} is not admitted here. Ask the operator to run: vitrine users add ${login}, or a site's owner to add you as a reader.`,
  );
}
