import { and, asc, eq, isNotNull, isNull, like, lt, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import { type Candidate, decideAdmission } from "../../domain/accounts/admit.ts";
import { INVITATION_PREFIX, invitationSubject } from "../../domain/accounts/invitations.ts";
import { decideLogin } from "../../domain/accounts/shown-login.ts";
import { adminChanged, personChanged, sessionsChanged } from "../../domain/events/changes.ts";
import { changedQuota } from "../../domain/model/quota.ts";
import type { Identity, ProviderName, SignedIn, Signup, User } from "../../domain/model/user.ts";
import type { NewUser, UserChange, UserListing, UserQuery, UserStore } from "../../domain/ports/store/users.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { hasGroupRole, replaceGroups, saveGroups } from "./groups.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { prepared } from "./prepared.ts";
import { ownQuota, ownQuotas, replaceQuota, usagesOf } from "./quotas.ts";
import { countOf, countRows, deleteRows, first, hasRow } from "./rows.ts";
import { deviceCodes, members, oauthCodes, readers, sessions, sites, users } from "./schema.ts";
import { contains, ignoringCase } from "./sql.ts";

/** The columns of a user, as in the domain. */
export const userColumns = columnsExcept(users, "passwordHash", "lastSeenAt");

const listedColumns = { ...userColumns, lastSeenAt: users.lastSeenAt };

export function userStore({ read, write, writeRouting, freeing }: Connection): UserStore {
  return {
    add: (user) => write((tx) => addUser(tx, user)),
    addFirst: (user) => write((tx) => addFirst(tx, user)),
    find: (id) => read((db) => first(userById(db, { id }))),
    findByLogin: (provider, login) => read((db) => findByLogin(db, provider, login)),

    passwordHash: (id) => read((db) => findPasswordHash(db, id)),
    list: () =>
      read((db) =>
        db
          .select(userColumns)
          .from(users)
          .orderBy(...byLogin),
      ),
    count: () => read((db) => countOf(db, users)),
    setPassword: (id, passwordHash) => write((tx) => setPassword(tx, id, passwordHash)),
    changePassword: (id, change) => write((tx) => changePassword(tx, id, change)),

    async admit(identity, at, signup) {
      // Anybody can try to sign in, and a refused attempt must not wait for the lock.
      await read((db) => decideSignIn(db, identity, at, signup)).catch(async (refusal) => {
        const user = identity.groups && (await read((db) => findBySubject(db, identity)));
        if (user) await write((tx) => replaceGroups(tx, user.id, identity, at));
        throw refusal;
      });
      return write((tx) => admit(tx, identity, at, signup));
    },

    recognize: (identity, at) => write((tx) => recognize(tx, identity, at)),
    deleteUnusedInvitations: (at) => write((tx) => deleteUnusedInvitations(tx, at)),

    async setMayOwn(id, mayOwn) {
      await write((tx) => tx.update(users).set({ mayOwn }).where(eq(users.id, id)));
    },

    setOperator: (id, operator) => write((tx) => setFacts(tx, id, { operator })),

    change: (id, change) =>
      writeRouting(async (tx, affects) => {
        const outcome = await changeUser(tx, id, change);
        affects(...(await takeSiteIds(tx, id)));
        return outcome;
      }),

    page: (query) => read((db) => pageOfUsers(db, query)),

    listing: (id) => read((db) => listing(db, id)),

    setFrozen: (id, frozen) =>
      writeRouting(async (tx, affects) => {
        const isChanged = await setFacts(tx, id, { frozen });
        affects(...(await takeSiteIds(tx, id)));
        return isChanged;
      }),

    delete: (id, guard) =>
      freeing(() =>
        writeRouting(async (tx, affects) => {
          // A user who can be removed owns no sites.
          affects();
          return deleteUser(tx, id, guard?.keepOperator ?? false);
        }),
      ),
  };
}

type SubjectOfProvider = Pick<Identity, "provider" | "subject">;

/** Returns the user with a provider's subject; null if there is none. */
export async function findBySubject(db: Drizzle, { provider, subject }: SubjectOfProvider): Promise<User | null> {
  const matches = and(eq(users.provider, provider), eq(users.subject, subject));
  return first(db.select(userColumns).from(users).where(matches));
}

/** `UserStore.recognize` as a part of another change. */
export async function recognize(tx: Drizzle, identity: Identity, at: number): Promise<User> {
  await takeLock(tx, `people of ${identity.provider}`);
  const known = await findBySubject(tx, identity);
  return saveProfile(tx, identity, known?.id ?? null, { mayOwn: known?.mayOwn ?? false, at });
}

/** Adds a user; null if the login or the subject is taken. */
export async function insertUser(tx: Drizzle, user: NewUser & { readonly operator?: boolean }): Promise<User | null> {
  return first(tx.insert(users).values(user).onConflictDoNothing().returning(userColumns));
}

interface NewPassword {
  readonly id: number;
  /** Null to remove the password. */
  readonly passwordHash: string | null;
  readonly keptSession: number | null;
}

/**
 * Gives the user whom `holder` selects a new password, and ends everything that began with the old one. Returns false
 * if there is no such user.
 */
export async function replacePassword(
  tx: Drizzle,
  holder: SQL | undefined,
  { id, passwordHash, keptSession }: NewPassword,
): Promise<boolean> {
  const changed = tx.update(users).set({ passwordHash }).where(holder);
  if ((await countRows(changed.returning({ id: users.id }))) === 0) return false;
  const ended = keptSession === null ? undefined : ne(sessions.id, keptSession);
  await tx.delete(sessions).where(and(eq(sessions.userId, id), ended));
  // Includes redeemed codes, whose session may be about to start.
  await tx.update(deviceCodes).set({ verdict: "denied" }).where(eq(deviceCodes.userId, id));
  await tx.delete(oauthCodes).where(eq(oauthCodes.userId, id));
  await announce(tx, sessionsChanged(id));
  return true;
}

// --- internal ---

const userById = prepared((db) =>
  db
    .select(userColumns)
    .from(users)
    .where(eq(users.id, sql.placeholder("id"))),
);

/** The order of the index `users_by_page`. */
const byLogin = [ignoringCase(users.login), asc(users.id)];

async function addUser(tx: Drizzle, user: NewUser): Promise<User | null> {
  const added = await insertUser(tx, user);
  if (added) await announce(tx, adminChanged());
  return added;
}

async function addFirst(tx: Drizzle, user: NewUser): Promise<User | null> {
  await takeLock(tx, "the first person");
  if ((await countOf(tx, users)) > 0) return null;
  const added = await insertUser(tx, { ...user, operator: true });
  if (added) await announce(tx, adminChanged());
  return added;
}

async function findByLogin(db: Drizzle, provider: ProviderName, login: string): Promise<User | null> {
  return first(
    db
      .select(userColumns)
      .from(users)
      .where(and(eq(users.provider, provider), isLogin(login))),
  );
}

function isLogin(login: string): SQL {
  return sql`${ignoringCase(users.login)} = ${ignoringCase(login)}`;
}

async function findPasswordHash(db: Drizzle, id: number): Promise<string | null> {
  return (await first(db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, id))))?.hash ?? null;
}

async function setPassword(tx: Drizzle, id: number, passwordHash: string): Promise<boolean> {
  return replacePassword(tx, eq(users.id, id), { id, passwordHash, keptSession: null });
}

/** Locks the user before it reads the session, so that the session is not ended in between. */
async function changePassword(
  tx: Drizzle,
  id: number,
  { from, to, keptSession }: { from: string; to: string; keptSession: number },
): Promise<boolean> {
  const holder = and(eq(users.id, id), eq(users.passwordHash, from));
  if (!(await first(tx.select({ id: users.id }).from(users).where(holder).for("update")))) return false;
  const session = and(eq(sessions.id, keptSession), eq(sessions.userId, id));
  if (!(await first(tx.select({ id: sessions.id }).from(sessions).where(session).for("update")))) return false;
  return replacePassword(tx, holder, { id, passwordHash: to, keptSession });
}

async function admit(tx: Drizzle, identity: SignedIn, at: number, signup: Signup): Promise<User> {
  await takeLock(tx, `people of ${identity.provider}`);
  const { id, mayOwn } = await decideSignIn(tx, identity, at, signup);
  if (id === null) await announce(tx, adminChanged());
  const user = await saveProfile(tx, identity, id, { mayOwn, at });
  if (identity.groups) await saveGroups(tx, user.id, identity.groups, at);
  return user;
}

/** Throws `forbidden` if the user may not sign in. */
async function decideSignIn(
  db: Drizzle,
  identity: SignedIn,
  at: number,
  signup: Signup,
): Promise<{ id: number | null; mayOwn: boolean }> {
  const found = await findForSignIn(db, identity);
  const inGroup = await hasGroupRole(db, identity, found?.id ?? null, at);
  const candidate = found ? await candidateOf(db, found, inGroup) : inGroup ? OF_GROUP : null;
  return { id: found?.id ?? null, mayOwn: decideAdmission(candidate, identity, signup) };
}

/** Returns the user with the subject, or else the invitation to the login. */
async function findForSignIn(db: Drizzle, identity: Identity): Promise<User | null> {
  const { provider, login } = identity;
  const known = await findBySubject(db, identity);
  return known ?? findBySubject(db, { provider, subject: invitationSubject(login) });
}

/** Somebody who signs in for the first time, and has a role through a group. */
const OF_GROUP: Candidate = { mayOwn: false, frozen: null, hasRole: true };

async function candidateOf(db: Drizzle, { id, mayOwn, frozen }: User, inGroup: boolean): Promise<Candidate> {
  const isListed = async () =>
    (await hasRow(db, readers, eq(readers.userId, id))) || hasRow(db, members, eq(members.userId, id));
  return { mayOwn, frozen, hasRole: inGroup || (await isListed()) };
}

/** Stores the current profile of a user. Without an `id`, adds the user. Call it with the lock of the provider. */
async function saveProfile(
  tx: Drizzle,
  identity: Identity,
  id: number | null,
  as: { mayOwn: boolean; at: number },
): Promise<User> {
  const { provider, subject, name, avatarUrl } = identity;
  const profile = { provider, subject, name, avatarUrl, mayOwn: as.mayOwn };
  const user = id ?? (await insertProfile(tx, profile, as.at));
  const otherId = await findOther(tx, identity, user);
  const { login, otherLogin } = decideLogin(identity, user, otherId);
  if (otherId !== null && otherLogin !== null)
    await tx.update(users).set({ login: otherLogin }).where(eq(users.id, otherId));
  const saved = tx.update(users).set({ ...profile, login });
  return (await first(saved.where(eq(users.id, user)).returning(userColumns))) as User;
}

async function insertProfile(
  tx: Drizzle,
  profile: Pick<NewUser, "provider" | "subject" | "name" | "avatarUrl" | "mayOwn">,
  createdAt: number,
): Promise<number> {
  // The login of a new user is set afterwards, with their id. Until then it is one that is never shown.
  const row = { ...profile, login: `~${crypto.randomUUID()}`, passwordHash: null, createdAt };
  const [added] = await tx.insert(users).values(row).returning({ id: users.id });
  return (added as { id: number }).id;
}

/** Returns another user who is shown with the same login. */
async function findOther(tx: Drizzle, { provider, login }: Identity, id: number): Promise<number | null> {
  const isShown = and(eq(users.provider, provider), isLogin(login), ne(users.id, id));
  return (await first(tx.select({ id: users.id }).from(users).where(isShown)))?.id ?? null;
}

async function deleteUnusedInvitations(tx: Drizzle, at: number): Promise<number> {
  const isInvitation = and(eq(users.provider, "oidc"), like(users.subject, `${INVITATION_PREFIX}%`));
  // An invitation that becomes a user, a reader or a member meanwhile takes the same lock.
  await takeLock(tx, "people of oidc");
  const reads = tx.select({ id: readers.id }).from(readers).where(eq(readers.userId, users.id));
  const works = tx.select({ id: members.id }).from(members).where(eq(members.userId, users.id));
  const hasNoRole = and(notExists(reads), notExists(works));
  const isUnused = and(eq(users.mayOwn, false), isNull(users.frozen), lt(users.createdAt, at), hasNoRole);
  return deleteRows(tx, users, and(isInvitation, isUnused));
}

type Facts = Partial<Pick<User, "name" | "frozen" | "operator">>;

async function setFacts(tx: Drizzle, id: number, facts: Facts): Promise<boolean> {
  // Drizzle refuses an update without fields.
  const changed = tx.update(users).set({ id, ...facts });
  if ((await countRows(changed.where(eq(users.id, id)).returning({ id: users.id }))) === 0) return false;
  await announce(tx, personChanged(id));
  return true;
}

async function changeUser(tx: Drizzle, id: number, { quota, ...facts }: UserChange): ReturnType<UserStore["change"]> {
  const endsOperator = facts.operator === false || (facts.frozen ?? null) !== null;
  if (endsOperator && (await isLastOperator(tx, id))) return "last_operator";
  if (!(await setFacts(tx, id, facts))) return "missing";
  await replaceQuota(tx, id, changedQuota(await ownQuota(tx, id), quota));
  return "changed";
}

async function deleteUser(tx: Drizzle, id: number, keepOperator: boolean): ReturnType<UserStore["delete"]> {
  if (keepOperator && (await isLastOperator(tx, id))) return "last_operator";
  // A concurrent change that gives the user a site waits, because its foreign key needs a lock of the owner.
  const person = tx.select({ id: users.id }).from(users).where(eq(users.id, id));
  if (!(await first(person.for("update")))) return "missing";
  if (await hasRow(tx, sites, eq(sites.ownerId, id))) return "owns_sites";
  await tx.delete(users).where(eq(users.id, id));
  await announce(tx, personChanged(id));
  return "deleted";
}

/**
 * Returns whether the user is the only operator who is not frozen. No other operator is removed until the transaction
 * ends.
 */
async function isLastOperator(tx: Drizzle, id: number): Promise<boolean> {
  await takeLock(tx, "operators");
  const active = and(eq(users.operator, true), isNull(users.frozen));
  const [one, ...others] = await tx.select({ id: users.id }).from(users).where(active).limit(2);
  return one?.id === id && others.length === 0;
}

/**
 * Returns the sites of a user, who gets no others until the transaction ends, because a site's foreign key needs a lock
 * of the owner.
 */
async function takeSiteIds(tx: Drizzle, ownerId: number): Promise<number[]> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, ownerId)).for("update");
  const owned = await tx.select({ id: sites.id }).from(sites).where(eq(sites.ownerId, ownerId));
  return owned.map(({ id }) => id);
}

async function pageOfUsers(db: Drizzle, { text, only, after, limit }: UserQuery): Promise<readonly UserListing[]> {
  const matches = text === null ? undefined : or(contains(users.login, text), contains(users.name, text));
  const kind = only && { operators: eq(users.operator, true), frozen: isNotNull(users.frozen) }[only];
  const rest = after === null ? undefined : isAfter(after);
  const page = db
    .select(listedColumns)
    .from(users)
    .where(and(matches, kind, rest));
  return withUsage(db, await page.orderBy(...byLogin).limit(limit));
}

function isAfter({ login, id }: { login: string; id: number }): SQL {
  return sql`(${ignoringCase(users.login)}, ${users.id}) > (${ignoringCase(login)}, CAST(${id} AS bigint))`;
}

async function listing(db: Drizzle, id: number): Promise<UserListing | null> {
  const user = await first(db.select(listedColumns).from(users).where(eq(users.id, id)));
  return user && ((await withUsage(db, [user]))[0] ?? null);
}

async function withUsage(
  db: Drizzle,
  people: readonly Omit<UserListing, "usage" | "quota">[],
): Promise<readonly UserListing[]> {
  const ids = people.map(({ id }) => id);
  const usage = await usagesOf(db, ids);
  const quota = await ownQuotas(db, ids);
  return people.map((person) => ({ ...person, usage: usage(person.id), quota: quota(person.id) }));
}
