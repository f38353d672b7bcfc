import { DomainError } from "../errors.ts";
import type { Caller } from "../model/caller.ts";
import { newFreeze } from "../model/freeze.ts";
import { lastOperator, requireOperator, requireRecentOperator } from "../model/operator.ts";
import { changedQuota, type Quota, quotaInForce } from "../model/quota.ts";
import { checkUserName, type User } from "../model/user.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Session } from "../ports/store/sessions.ts";
import type { OperatorChange, UserChange, UserListing, UserQuery } from "../ports/store/users.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";

interface PeoplePorts {
  readonly store: Pick<Store, "users" | "sessions">;
  /** The server's limits, for users without their own. */
  readonly quota: Quota;
  readonly provider: Pick<IdentityProvider, "name">;
  readonly clock: Clock;
}

/** A user as operators see them, with their effective limits. */
export type Person = Omit<UserListing, "quota"> & { readonly quota: Quota };

/** A change of a user by an operator. Absent fields stay. */
interface PersonChange extends Omit<UserChange, "frozen"> {
  readonly frozen?: { readonly reason: string | null } | null;
}

/** Returns a page of users by login. Throws `forbidden` unless the caller is an operator. */
export async function listPeople(ports: PeoplePorts, caller: Caller, query: UserQuery): Promise<readonly Person[]> {
  requireOperator(caller);
  return (await ports.store.users.page(query)).map((user) => withQuota(ports, user));
}

/** Returns one user. Throws `forbidden`, then `not_found`. */
export async function findPerson(ports: PeoplePorts, caller: Caller, login: string): Promise<Person> {
  requireOperator(caller);
  return withQuota(ports, await requireListing(ports, login));
}

/**
 * Changes a user in one transaction, and returns the new state. Granting or revoking the operator role needs a recent
 * sign-in. Throws `forbidden`, `not_found`, `invalid` for an invalid name or reason, and `conflict` if operators would
 * freeze themselves, or no operator would remain.
 */
export async function changePerson(
  ports: PeoplePorts,
  caller: Caller,
  login: string,
  { frozen, ...change }: PersonChange,
): Promise<Person> {
  const now = ports.clock.now();
  const operator = change.operator === undefined ? requireOperator(caller) : requireRecentOperator(caller, now);
  const user = await requireListing(ports, login);
  if (change.name !== undefined) checkUserName(change.name);
  const freeze = frozen ? newFreeze(frozen.reason, now) : null;
  if (freeze && user.id === operator.user.id) throw notYourself("freeze");
  const freezing = frozen === undefined ? {} : { frozen: freeze };
  const outcome = await ports.store.users.change(user.id, { ...change, ...freezing });
  refuse(login, outcome);
  return withQuota(ports, { ...user, ...change, ...freezing, quota: changedQuota(user.quota, change.quota) });
}

/**
 * Removes a user with their sessions. Throws `forbidden` without a recent sign-in, `not_found`, and `conflict` for the
 * caller, the last operator, and users who own sites.
 */
export async function removePerson(ports: PeoplePorts, caller: Caller, login: string): Promise<void> {
  const operator = requireRecentOperator(caller, ports.clock.now());
  const user = await requireUser(ports, login);
  if (user.id === operator.user.id) throw notYourself("remove");
  const outcome = await ports.store.users.delete(user.id, { keepOperator: true });
  if (outcome === "owns_sites") {
    throw new DomainError("conflict", `${user.login} owns sites: transfer or delete them first`);
  }
  if (outcome !== "deleted") refuse(login, outcome);
}

/** Returns a user's sessions, newest first. Throws `forbidden`, then `not_found`. */
export async function listPersonSessions(
  ports: PeoplePorts,
  caller: Caller,
  login: string,
): Promise<readonly Session[]> {
  requireOperator(caller);
  const { id } = await requireUser(ports, login);
  return ports.store.sessions.listOfUser(id, ports.clock.now());
}

/** Ends one session of a user, or all of them for null. Throws `forbidden`, then `not_found`. */
export async function endPersonSessions(
  ports: PeoplePorts,
  caller: Caller,
  login: string,
  sessionId: number | null,
): Promise<void> {
  requireOperator(caller);
  const { id } = await requireUser(ports, login);
  if (sessionId === null) await ports.store.sessions.revokeAll(id);
  else if (!(await ports.store.sessions.revoke(sessionId, id))) {
    throw new DomainError("not_found", "the session does not exist");
  }
}

/** Returns the user with a login, preferably of the current provider. Throws `not_found`. */
export async function requireUser(
  { store, provider }: { store: Pick<Store, "users">; provider: Pick<IdentityProvider, "name"> },
  login: string,
): Promise<User> {
  const user = await store.users.findByLogin(provider.name, login);
  if (user) return user;
  for (const other of ["local", "github", "oidc"] as const) {
    const found = other === provider.name ? null : await store.users.findByLogin(other, login);
    if (found) return found;
  }
  throw unknownUser(login);
}

// --- internal ---

async function requireListing(ports: PeoplePorts, login: string): Promise<UserListing> {
  const { id } = await requireUser(ports, login);
  const listing = await ports.store.users.listing(id);
  if (listing === null) throw unknownUser(login);
  return listing;
}

function withQuota(ports: PeoplePorts, { quota, ...user }: UserListing): Person {
  return { ...user, quota: quotaInForce(ports.quota, quota) };
}

function refuse(login: string, outcome: OperatorChange): void {
  if (outcome === "last_operator") throw lastOperator(login);
  if (outcome === "missing") throw unknownUser(login);
}

function notYourself(verb: string): DomainError {
  return new DomainError("conflict", `you cannot ${verb} yourself: ask another operator`);
}

function unknownUser(login: string): DomainError {
  return new DomainError("not_found", `user does not exist: ${JSON.stringify(login.slice(0, 80))}`);
}
