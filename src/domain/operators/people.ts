import type { Caller } from "../accounts/caller.ts";
import { type Quota, quotaInForce } from "../accounts/quota.ts";
import { checkUserName, type User } from "../accounts/user.ts";
import { DomainError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Session } from "../ports/store/sessions.ts";
import type { OperatorChange, UserListing, UserQuery } from "../ports/store/users.ts";
import type { Store } from "../ports/store.ts";
import { newFreeze } from "../sites/freeze.ts";
import { lastOperator, requireOperator, requireRecentOperator } from "./operator.ts";

export interface PeoplePorts {
  readonly store: Pick<Store, "users" | "quotas" | "sessions">;
  /** The server's limits, for people who have none of their own. */
  readonly quota: Quota;
  readonly provider: Pick<IdentityProvider, "name">;
  readonly clock: Clock;
}

/** A person as operators see them: with the limits that hold for them. */
export type Person = Omit<UserListing, "quota"> & { readonly quota: Quota };

/** What an operator changes of a person; what is absent stays. */
export interface PersonChange {
  readonly name?: string | null;
  readonly frozen?: { readonly reason: string | null } | null;
  readonly operator?: boolean;
  /** Null for no limit, `default` for the server's. */
  readonly sites?: number | null | "default";
  readonly bytes?: number | null | "default";
}

/** Returns a page of people by login. Throws `forbidden` unless an operator asks. */
export async function listPeople(ports: PeoplePorts, caller: Caller, query: UserQuery): Promise<readonly Person[]> {
  requireOperator(caller);
  return (await ports.store.users.page(query)).map((user) => withQuota(ports, user));
}

/** Returns one person. Throws `forbidden`, then `not_found`. */
export async function findPerson(ports: PeoplePorts, caller: Caller, login: string): Promise<Person> {
  requireOperator(caller);
  const { id } = await requireUser(ports, login);
  const listing = await ports.store.users.listing(id);
  if (listing === null) throw unknownUser(login);
  return withQuota(ports, listing);
}

/**
 * Changes a person in one step, and returns them as they are then. To make somebody an operator, or no longer one, needs a recent
 * sign-in. Throws `forbidden`, `not_found`, `invalid` for a name or reason that cannot be one, and `conflict` where an
 * operator would freeze themselves, or nobody would be left to operate the server.
 */
export async function changePerson(
  ports: PeoplePorts,
  caller: Caller,
  login: string,
  change: PersonChange,
): Promise<Person> {
  const now = ports.clock.now();
  const operator = change.operator === undefined ? requireOperator(caller) : requireRecentOperator(caller, now);
  const user = await requireUser(ports, login);
  if (change.name !== undefined) checkUserName(change.name);
  const freeze = change.frozen ? newFreeze(change.frozen.reason, now) : null;
  if (freeze && user.id === operator.user.id) throw notYourself("freeze");
  const { name, frozen, operator: mark, sites, bytes } = change;
  const outcome = await ports.store.users.change(user.id, {
    ...(name === undefined ? {} : { name }),
    ...(frozen === undefined ? {} : { frozen: freeze }),
    ...(mark === undefined ? {} : { operator: mark }),
    quota: { ...(sites === undefined ? {} : { sites }), ...(bytes === undefined ? {} : { bytes }) },
  });
  refuse(login, outcome);
  return findPerson(ports, caller, user.login);
}

/**
 * Removes a person with their sessions. Throws `forbidden` without a recent sign-in, `not_found`, and `conflict` for
 * oneself, the last operator, and somebody who owns sites.
 */
export async function removePerson(ports: PeoplePorts, caller: Caller, login: string): Promise<void> {
  const operator = requireRecentOperator(caller, ports.clock.now());
  const user = await requireUser(ports, login);
  if (user.id === operator.user.id) throw notYourself("remove");
  const outcome = await ports.store.users.remove(user.id, { keepOperator: true });
  if (outcome === "owns_sites") {
    throw new DomainError("conflict", `${user.login} owns sites: transfer or delete them first`);
  }
  if (outcome !== "removed") refuse(login, outcome);
}

/** Returns a person's sessions, newest first. Throws `forbidden`, then `not_found`. */
export async function listPersonSessions(
  ports: PeoplePorts,
  caller: Caller,
  login: string,
): Promise<readonly Session[]> {
  requireOperator(caller);
  const { id } = await requireUser(ports, login);
  return ports.store.sessions.listOfUser(id, ports.clock.now());
}

/** Ends one session of a person, or all of them for null. Throws `forbidden`, then `not_found`. */
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

/** Returns the person of a login, of the provider in use before others. Throws `not_found`. */
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
