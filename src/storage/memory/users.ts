import { decideAdmission } from "../../domain/accounts/admit.ts";
import { INVITATION_PREFIX, invitationSubject } from "../../domain/accounts/invitations.ts";
import { decideLogin } from "../../domain/accounts/shown-login.ts";
import { adminChanged, personChanged, sessionsChanged } from "../../domain/events/changes.ts";
import type { Freeze } from "../../domain/model/freeze.ts";
import { changedQuota, type Usage } from "../../domain/model/quota.ts";
import type { Identity, Signup, User } from "../../domain/model/user.ts";
import type { AccountLinkKind, AccountLinkStore } from "../../domain/ports/store/account-links.ts";
import type { QuotaStore } from "../../domain/ports/store/quotas.ts";
import type { NewUser, UserChange, UserListing, UserQuery, UserStore } from "../../domain/ports/store/users.ts";
import { by, type Memory, type UserRow } from "./tables.ts";

export function userStore(memory: Memory): UserStore {
  const { users } = memory;
  return {
    add: async (user) => insertUser(memory, user, false),
    addFirst: async (user) => (users.rows.length > 0 ? null : insertUser(memory, user, true)),
    find: async (id) => found(users.find({ id })),
    async findByLogin(provider, login) {
      return found(users.find((user) => user.provider === provider && isSameLogin(user.login, login)));
    },
    passwordHash: async (id) => users.find({ id })?.passwordHash ?? null,
    list: async () => users.rows.toSorted(byLogin).map(userOf),
    count: async () => users.rows.length,
    setPassword: async (id, passwordHash) => replacePassword(memory, id, passwordHash, null),
    changePassword: (id, change) => changePassword(memory, id, change),
    admit: (identity, at, signup) => admit(memory, identity, at, signup),
    recognize: async (identity, at) => userOf(recognize(memory, identity, at)),
    deleteUnusedInvitations: (at) => removeUnusedInvitations(memory, at),

    async setMayOwn(id, mayOwn) {
      users.update({ id }, { mayOwn });
    },

    async setOperator(id, operator) {
      if (users.update({ id }, { operator }).length === 0) return false;
      memory.announce(personChanged(id));
      return true;
    },

    change: (id, change) => changeUser(memory, id, change),
    page: (query) => pageOfUsers(memory, query),

    async listing(id) {
      const user = users.find({ id });
      return user ? listingOf(memory, user) : null;
    },

    setFrozen: (id, frozen) => setFrozen(memory, id, frozen),
    delete: (id, guard) => removeUser(memory, id, guard?.keepOperator ?? false),
  };
}

function siteIdsOf({ sites }: Memory, ownerId: number): number[] {
  return sites.filter({ ownerId }).map(({ id }) => id);
}

export function quotaStore(memory: Memory): QuotaStore {
  return {
    usage: async (userId) => usageOf(memory, userId),
    own: async (userId) => memory.users.find({ id: userId })?.quota ?? {},
    async setOwn(userId, quota) {
      memory.users.update({ id: userId }, { quota });
      memory.announce(adminChanged());
    },
  };
}

export function accountLinkStore(memory: Memory): AccountLinkStore {
  const { accountLinks } = memory;
  const open = (tokenHash: string, now: number, kind?: AccountLinkKind) =>
    accountLinks.find(
      (link) => link.tokenHash === tokenHash && link.expiresAt > now && link.kind === (kind ?? link.kind),
    );
  return {
    async replace(link) {
      accountLinks.remove(({ kind, login }) => kind === link.kind && isSameLogin(login, link.login));
      accountLinks.add(link);
    },
    async find(tokenHash, now) {
      const link = open(tokenHash, now);
      if (!link) return null;
      const { tokenHash: _, ...facts } = link;
      return facts;
    },
    async acceptInvitation(tokenHash, user, now) {
      const added = open(tokenHash, now, "invitation") ? insertUser(memory, user, false) : null;
      if (added) accountLinks.remove({ tokenHash });
      return added;
    },
    async acceptPassword(tokenHash, passwordHash, now) {
      const id = open(tokenHash, now, "password")?.userId ?? null;
      if (id === null) return null;
      replacePassword(memory, id, passwordHash, null);
      accountLinks.remove({ tokenHash });
      return found(memory.users.find({ id }));
    },
    deleteExpired: async (now) => accountLinks.remove(({ expiresAt }) => expiresAt <= now).length,
  };
}

/** Users in the order of their logins. */
export const byLogin = by<{ readonly login: string; readonly id: number }>(
  ({ login }) => login.toLowerCase(),
  ({ id }) => id,
);

export function contains(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) ?? false;
}

export function userOf({ passwordHash: _, lastSeenAt: __, quota: ___, ...user }: UserRow): User {
  return user;
}

export function usageOf({ sites, deployments }: Memory, userId: number): Usage {
  const owned = new Set(sites.filter({ ownerId: userId }).map(({ id }) => id));
  const kept = deployments.filter(({ siteId }) => owned.has(siteId));
  return { sites: owned.size, bytes: kept.reduce((total, { sizeBytes }) => total + sizeBytes, 0) };
}

/** `UserStore.recognize` as a part of another change. */
export function recognize(memory: Memory, identity: Identity, at: number): UserRow {
  const { provider, subject } = identity;
  const known = memory.users.find({ provider, subject });
  return saveProfile(memory, identity, known, { mayOwn: known?.mayOwn ?? false, at });
}

// --- internal ---

async function changePassword(
  memory: Memory,
  id: number,
  { from, to, keptSession }: { from: string; to: string; keptSession: number },
): Promise<boolean> {
  const { users } = memory;
  if (!users.find({ id, passwordHash: from }) || !memory.sessions.find({ id: keptSession, userId: id })) return false;
  return replacePassword(memory, id, to, keptSession);
}

async function admit(memory: Memory, identity: Identity, at: number, signup: Signup): Promise<User> {
  const { users } = memory;
  const { provider, subject, login } = identity;
  const known = users.find({ provider, subject }) ?? users.find({ provider, subject: invitationSubject(login) });
  const candidate = known && { ...known, readsAnything: memory.readers.find({ userId: known.id }) !== undefined };
  const mayOwn = decideAdmission(candidate ?? null, identity, signup);
  if (!known) memory.announce(adminChanged());
  return userOf(saveProfile(memory, identity, known, { mayOwn, at }));
}

async function removeUnusedInvitations(memory: Memory, at: number): Promise<number> {
  const { users } = memory;
  const unused = users.filter(
    ({ id, provider, subject, mayOwn, frozen, createdAt }) =>
      provider === "oidc" &&
      subject.startsWith(INVITATION_PREFIX) &&
      !(mayOwn || frozen || createdAt >= at || memory.readers.find({ userId: id })),
  );
  for (const { id } of unused) memory.removeUser(id);
  return unused.length;
}

async function changeUser(
  memory: Memory,
  id: number,
  { quota, ...change }: UserChange,
): ReturnType<UserStore["change"]> {
  const { users } = memory;
  if ((change.frozen || change.operator === false) && isLastOperator(memory, id)) return "last_operator";
  const user = users.find({ id });
  if (!user) return "missing";
  memory.writeRouting((affects) => {
    affects(...siteIdsOf(memory, id));
    users.update({ id }, { ...change, quota: changedQuota(user.quota, quota) });
  });
  memory.announce(personChanged(id));
  return "changed";
}

async function pageOfUsers(memory: Memory, query: UserQuery): Promise<readonly UserListing[]> {
  const { users } = memory;
  const { text, only, after, limit } = query;
  const matches = users.filter(({ login, name }) => text === null || contains(login, text) || contains(name, text));
  const kind = matches.filter((user) => !only || (only === "operators" ? user.operator : user.frozen !== null));
  const rest = kind.filter((user) => after === null || byLogin(user, after) > 0);
  return rest
    .toSorted(byLogin)
    .slice(0, limit)
    .map((user) => listingOf(memory, user));
}

async function setFrozen(memory: Memory, id: number, frozen: Freeze | null): Promise<boolean> {
  const { users } = memory;
  const changed = memory.writeRouting((affects) => {
    affects(...siteIdsOf(memory, id));
    return users.update({ id }, { frozen });
  });
  if (changed.length === 0) return false;
  memory.announce(personChanged(id));
  return true;
}

async function removeUser(memory: Memory, id: number, keepOperator: boolean): ReturnType<UserStore["delete"]> {
  const { users } = memory;
  if (keepOperator && isLastOperator(memory, id)) return "last_operator";
  if (memory.sites.find({ ownerId: id })) return "owns_sites";
  if (!users.find({ id })) return "missing";
  memory.writeRouting((affects) => {
    affects();
    memory.removeUser(id);
  });
  memory.announce(personChanged(id));
  return "removed";
}

function found(user: UserRow | undefined): User | null {
  return user ? userOf(user) : null;
}

function isSameLogin(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function listingOf(memory: Memory, user: UserRow): UserListing {
  const { lastSeenAt, quota } = user;
  return { ...userOf(user), lastSeenAt, quota, usage: usageOf(memory, user.id) };
}

const NEW_ROW = { frozen: null, lastSeenAt: null, quota: {} };

function insertUser(memory: Memory, user: NewUser, operator: boolean): User | null {
  const { users } = memory;
  const isTaken = users.find(
    ({ provider, subject, login }) =>
      provider === user.provider && (subject === user.subject || isSameLogin(login, user.login)),
  );
  if (isTaken) return null;
  memory.announce(adminChanged());
  return userOf(users.insert({ ...NEW_ROW, ...user, operator }));
}

function isLastOperator({ users }: Memory, id: number): boolean {
  const [first, ...others] = users.filter({ operator: true, frozen: null });
  return first?.id === id && others.length === 0;
}

function replacePassword(memory: Memory, id: number, passwordHash: string, keptSession: number | null): boolean {
  if (memory.users.update({ id }, { passwordHash }).length === 0) return false;
  memory.removeSessions((session) => session.userId === id && session.id !== keptSession);
  memory.deviceCodes.update({ userId: id }, { verdict: "denied" });
  memory.announce(sessionsChanged(id));
  return true;
}

function saveProfile(
  { users }: Memory,
  identity: Identity,
  known: UserRow | undefined,
  { mayOwn, at }: { readonly mayOwn: boolean; readonly at: number },
): UserRow {
  const { provider, subject, name, avatarUrl } = identity;
  const profile = { provider, subject, name, avatarUrl, mayOwn };
  const added = { ...NEW_ROW, ...profile, login: "", passwordHash: null, createdAt: at, operator: false };
  const { id } = known ?? users.insert(added);
  const isOther = (user: UserRow) =>
    user.id !== id && user.provider === provider && isSameLogin(user.login, identity.login);
  const other = users.find(isOther);
  const { login, otherLogin } = decideLogin(identity, id, other?.id ?? null);
  if (other && otherLogin !== null) users.update({ id: other.id }, { login: otherLogin });
  return users.update({ id }, { ...profile, login })[0]!;
}
