import { and, asc, count, eq, isNotNull, isNull, like, lt, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import { type Candidate, decideAdmission } from "../../domain/accounts/admit.ts";
import { INVITATION_PREFIX, invitationSubject } from "../../domain/accounts/invitations.ts";
import { decideLogin } from "../../domain/accounts/shown-login.ts";
import { adminChanged, personChanged, sessionsChanged } from "../../domain/events/changes.ts";
import type { Freeze } from "../../domain/model/freeze.ts";
import { changedQuota } from "../../domain/model/quota.ts";
import type { Identity, ProviderName, Signup, User } from "../../domain/model/user.ts";
import type { NewUser, UserChange, UserListing, UserQuery, UserStore } from "../../domain/ports/store/users.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { contains } from "./contains.ts";
import { ownQuota, ownQuotas, replaceQuota, usageOf, usagesOf } from "./quotas.ts";
import { deviceCodes, readers, sessions, sites, users } from "./schema.ts";

/** The columns of a user, as in the domain. */
export const userColumns = columnsExcept(users, "passwordHash", "lastSeenAt");

const listedColumns = { ...userColumns, lastSeenAt: users.lastSeenAt };

export function userStore(connection: Connection): UserStore {
  const { db, write } = connection;
  return {
    add: (user) => addUser(connection, user),
    addFirst: (user) => addFirst(connection, user),

    async find(id) {
      return db.select(userColumns).from(users).where(eq(users.id, id)).get() ?? null;
    },

    findByLogin: (provider, login) => findByLogin(connection, provider, login),

    async passwordHash(id) {
      return db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, id)).get()?.hash ?? null;
    },

    async list() {
      return db.select(userColumns).from(users).orderBy(asc(users.login)).all();
    },

    async count() {
      return countUsers(db);
    },

    setPassword: (id, passwordHash) => setPassword(connection, id, passwordHash),
    changePassword: (id, change) => changePassword(connection, id, change),
    admit: (identity, at, signup) => admit(connection, identity, at, signup),

    async recognize(identity, at) {
      return write((tx) => recognize(tx, identity, at));
    },

    deleteUnusedInvitations: (at) => removeUnusedInvitations(connection, at),

    async setMayOwn(id, mayOwn) {
      await write((tx) => tx.update(users).set({ mayOwn }).where(eq(users.id, id)).run());
    },

    setOperator: (id, operator) => setOperator(connection, id, operator),
    change: (id, change) => changeUser(connection, id, change),
    page: (query) => pageOfUsers(connection, query),

    async listing(id) {
      const user = db.select(listedColumns).from(users).where(eq(users.id, id)).get();
      return user ? listingOf(db, user) : null;
    },

    setFrozen: (id, frozen) => setFrozen(connection, id, frozen),
    delete: (id, guard) => removeUser(connection, id, guard?.keepOperator ?? false),
  };
}

type SubjectOfProvider = Pick<Identity, "provider" | "subject">;

/** Returns the user with a provider's subject; null if there is none. */
export function findBySubject(from: Drizzle, { provider, subject }: SubjectOfProvider): User | null {
  const matches = and(eq(users.provider, provider), eq(users.subject, subject));
  return from.select(userColumns).from(users).where(matches).get() ?? null;
}

/** `UserStore.recognize` as a part of another change. */
export function recognize(tx: Drizzle, identity: Identity, at: number): User {
  const known = findBySubject(tx, identity);
  return saveProfile(tx, identity, known?.id ?? null, { mayOwn: known?.mayOwn ?? false, at });
}

/** Adds a user; null if the login or the subject is taken. */
export function insertUser(tx: Drizzle, user: NewUser & { readonly operator?: boolean }): User | null {
  return tx.insert(users).values(user).onConflictDoNothing().returning(userColumns).get() ?? null;
}

export interface NewPassword {
  readonly id: number;
  readonly passwordHash: string;
  readonly keptSession: number | null;
}

/**
 * Gives the user whom `holder` selects a new password, and ends everything that began with the old one. Returns false
 * if there is no such user.
 */
export function replacePassword(
  tx: Drizzle,
  holder: SQL | undefined,
  { id, passwordHash, keptSession }: NewPassword,
): boolean {
  const changed = tx.update(users).set({ passwordHash }).where(holder).returning({ id: users.id }).all();
  if (changed.length === 0) return false;
  const ended = keptSession === null ? undefined : ne(sessions.id, keptSession);
  tx.delete(sessions)
    .where(and(eq(sessions.userId, id), ended))
    .run();
  // Includes redeemed codes, whose session may be about to start.
  tx.update(deviceCodes).set({ verdict: "denied" }).where(eq(deviceCodes.userId, id)).run();
  return true;
}

// --- internal ---

async function addUser(connection: Connection, user: NewUser): Promise<User | null> {
  const { write } = connection;
  return write((tx) => announceAdded(connection, insertUser(tx, user)));
}

async function addFirst(connection: Connection, user: NewUser): Promise<User | null> {
  const { write } = connection;
  return write((tx) =>
    countUsers(tx) > 0 ? null : announceAdded(connection, insertUser(tx, { ...user, operator: true })),
  );
}

async function setPassword(connection: Connection, id: number, passwordHash: string): Promise<boolean> {
  const { write } = connection;
  const renewed = { id, passwordHash, keptSession: null };
  return write((tx) => announceReplaced(connection, id, replacePassword(tx, eq(users.id, id), renewed)));
}

async function findByLogin({ db }: Connection, provider: ProviderName, login: string): Promise<User | null> {
  const matches = and(eq(users.provider, provider), eq(users.login, login));
  return db.select(userColumns).from(users).where(matches).get() ?? null;
}

async function changePassword(
  connection: Connection,
  id: number,
  { from, to, keptSession }: { from: string; to: string; keptSession: number },
): Promise<boolean> {
  const { write } = connection;
  return write((tx) => {
    const session = and(eq(sessions.id, keptSession), eq(sessions.userId, id));
    if (!tx.select({ id: sessions.id }).from(sessions).where(session).get()) return false;
    const holder = and(eq(users.id, id), eq(users.passwordHash, from));
    return announceReplaced(connection, id, replacePassword(tx, holder, { id, passwordHash: to, keptSession }));
  });
}

async function admit(
  { db, write, announce }: Connection,
  identity: Identity,
  at: number,
  signup: Signup,
): Promise<User> {
  const look = (from: Drizzle) => {
    const found = findForSignIn(from, identity);
    const candidate = found && candidateOf(from, found);
    return { id: found?.id ?? null, mayOwn: decideAdmission(candidate, identity, signup) };
  };
  // Anybody can try to sign in, and a refused attempt must not wait for the writer.
  look(db);
  return write((tx) => {
    const { id, mayOwn } = look(tx);
    if (id === null) announce(adminChanged());
    return saveProfile(tx, identity, id, { mayOwn, at });
  });
}

async function removeUnusedInvitations({ write }: Connection, at: number): Promise<number> {
  const isInvitation = and(eq(users.provider, "oidc"), like(users.subject, `${INVITATION_PREFIX}%`));
  return write((tx) => {
    const reads = tx.select({ id: readers.id }).from(readers).where(eq(readers.userId, users.id));
    const isUnused = and(eq(users.mayOwn, false), isNull(users.frozen), lt(users.createdAt, at), notExists(reads));
    return tx.delete(users).where(and(isInvitation, isUnused)).returning({ id: users.id }).all().length;
  });
}

async function setOperator({ write, announce }: Connection, id: number, operator: boolean): Promise<boolean> {
  return write((tx) => {
    const changed = tx.update(users).set({ operator }).where(eq(users.id, id)).returning({ id: users.id }).all();
    if (changed.length === 0) return false;
    announce(personChanged(id));
    return true;
  });
}

async function changeUser(
  { writeRouting, announce }: Connection,
  id: number,
  { quota, ...change }: UserChange,
): ReturnType<UserStore["change"]> {
  return writeRouting((tx, affects) => {
    affects(...siteIdsOf(tx, id));
    if ((change.frozen || change.operator === false) && isLastOperator(tx, id)) return "last_operator";
    // Drizzle refuses an update without fields.
    const facts = { id, ...change };
    const changed = tx.update(users).set(facts).where(eq(users.id, id)).returning({ id: users.id }).all();
    if (changed.length === 0) return "missing";
    replaceQuota(tx, id, changedQuota(ownQuota(tx, id), quota));
    announce(personChanged(id));
    return "changed";
  });
}

async function pageOfUsers({ db }: Connection, query: UserQuery): Promise<readonly UserListing[]> {
  const { text, only, after, limit } = query;
  const matches = text === null ? undefined : or(contains(users.login, text), contains(users.name, text));
  const kind = only && { operators: eq(users.operator, true), frozen: isNotNull(users.frozen) }[only];
  const rest = after === null ? undefined : sql`(${users.login}, ${users.id}) > (${after.login}, ${after.id})`;
  const page = db
    .select(listedColumns)
    .from(users)
    .where(and(matches, kind, rest))
    .orderBy(asc(users.login), asc(users.id))
    .limit(limit)
    .all();
  const ids = page.map(({ id }) => id);
  const [usage, quota] = [usagesOf(db, ids), ownQuotas(db, ids)];
  return page.map((user) => ({ ...user, usage: usage(user.id), quota: quota(user.id) }));
}

async function setFrozen({ writeRouting, announce }: Connection, id: number, frozen: Freeze | null): Promise<boolean> {
  return writeRouting((tx, affects) => {
    affects(...siteIdsOf(tx, id));
    const changed = tx.update(users).set({ frozen }).where(eq(users.id, id)).returning({ id: users.id }).all();
    if (changed.length === 0) return false;
    announce(personChanged(id));
    return true;
  });
}

async function removeUser(
  { writeFreeing, announce }: Connection,
  id: number,
  keepOperator: boolean,
): ReturnType<UserStore["delete"]> {
  return writeFreeing((tx, affects) => {
    // A user who can be removed owns no sites.
    affects();
    if (keepOperator && isLastOperator(tx, id)) return "last_operator";
    if (tx.select({ id: sites.id }).from(sites).where(eq(sites.ownerId, id)).limit(1).get()) return "owns_sites";
    const removed = tx.delete(users).where(eq(users.id, id)).returning({ id: users.id }).all();
    if (removed.length === 0) return "missing";
    announce(personChanged(id));
    return "removed";
  });
}

function announceAdded({ announce }: Connection, user: User | null): User | null {
  if (user) announce(adminChanged());
  return user;
}

function announceReplaced({ announce }: Connection, id: number, isReplaced: boolean): boolean {
  if (isReplaced) announce(sessionsChanged(id));
  return isReplaced;
}

function siteIdsOf(tx: Drizzle, ownerId: number): number[] {
  const owned = tx.select({ id: sites.id }).from(sites).where(eq(sites.ownerId, ownerId));
  return owned.all().map(({ id }) => id);
}

function listingOf(db: Drizzle, user: Omit<UserListing, "usage" | "quota">): UserListing {
  return { ...user, usage: usageOf(db, user.id), quota: ownQuota(db, user.id) };
}

/** Returns whether the user is the only operator who is not frozen. */
function isLastOperator(tx: Drizzle, id: number): boolean {
  const active = and(eq(users.operator, true), isNull(users.frozen));
  const [first, ...others] = tx.select({ id: users.id }).from(users).where(active).limit(2).all();
  return first?.id === id && others.length === 0;
}

/** Returns the user with the subject, or else the invitation to the login. */
function findForSignIn(from: Drizzle, identity: Identity): User | null {
  const { provider, login } = identity;
  return findBySubject(from, identity) ?? findBySubject(from, { provider, subject: invitationSubject(login) });
}

function candidateOf(from: Drizzle, { id, mayOwn, frozen }: User): Candidate {
  const read = from.select({ id: readers.id }).from(readers).where(eq(readers.userId, id)).limit(1).get();
  return { mayOwn, frozen, readsAnything: read !== undefined };
}

/** Stores the current profile of a user. Without an `id`, adds the user. */
function saveProfile(tx: Drizzle, identity: Identity, id: number | null, as: { mayOwn: boolean; at: number }): User {
  const { provider, subject, name, avatarUrl } = identity;
  const profile = { provider, subject, name, avatarUrl, mayOwn: as.mayOwn };
  // The login of a new user is set below, with their id. Until then it is one that is never shown.
  const added = { ...profile, login: `~${crypto.randomUUID()}`, passwordHash: null, createdAt: as.at };
  const user = id ?? tx.insert(users).values(added).returning({ id: users.id }).get().id;
  const otherId = findOther(tx, identity, user);
  const { login, otherLogin } = decideLogin(identity, user, otherId);
  if (otherId !== null && otherLogin !== null)
    tx.update(users).set({ login: otherLogin }).where(eq(users.id, otherId)).run();
  const saved = tx.update(users).set({ ...profile, login });
  return saved.where(eq(users.id, user)).returning(userColumns).get() as User;
}

/** Returns another user who is shown with the same login. */
function findOther(tx: Drizzle, { provider, login }: Identity, id: number): number | null {
  const isShown = and(eq(users.provider, provider), eq(users.login, login), ne(users.id, id));
  return tx.select({ id: users.id }).from(users).where(isShown).get()?.id ?? null;
}

function countUsers(db: Drizzle): number {
  return (
    db
      .select({ total: count(sql`1`) })
      .from(users)
      .get()?.total ?? 0
  );
}
