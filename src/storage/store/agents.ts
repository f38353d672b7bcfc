import { and, asc, eq, exists, gt, isNotNull, isNull, lt, lte, not, or, type SQL, sql } from "drizzle-orm";
import { isSessionValid } from "../../domain/accounts/authenticate.ts";
import { accessTokenEnd, judgeCode } from "../../domain/agents/decide.ts";
import type { AgentSession, AgentStore, AgentTokens } from "../../domain/ports/store/agents.ts";
import { columnsOf } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { takeLock } from "./locks.ts";
import { countRows, deleteRows, first } from "./rows.ts";
import { oauthClients, oauthCodes, oauthGrants, sessions, users } from "./schema.ts";
import { deleteSessions, insertSession, sessionColumns } from "./sessions.ts";
import { userColumns } from "./users.ts";

export function agentStore({ read, write }: Connection): AgentStore {
  return {
    addClient: (client, maxUnused) =>
      write(async (tx) => {
        await takeLock(tx, "registered agents");
        await tx.insert(oauthClients).values({ ...client, redirectUris: [...client.redirectUris] });
        await forgetUnused(tx, maxUnused);
      }),

    findClient: (id) =>
      read((db) =>
        first(
          db
            .select(columnsOf(oauthClients, "id", "name", "redirectUris"))
            .from(oauthClients)
            .where(eq(oauthClients.id, id)),
        ),
      ),

    addCode: (code, sessionId, now) => write((tx) => addCode(tx, code, sessionId, now)),
    redeem: (codeHash, attempt, given) => write((tx) => redeem(tx, codeHash, attempt, given)),
    refresh: (current, next, now) => write((tx) => refresh(tx, current, next, now)),

    findByAccessToken: (accessHash, now) =>
      read(async (db) => first(selectAgents(db).where(isAccessToken(accessHash, now)))),

    end: (token, clientId) =>
      write(async (tx) => {
        const isToken =
          "accessHash" in token
            ? or(eq(oauthGrants.accessHash, token.accessHash), eq(oauthGrants.formerAccessHash, token.accessHash))
            : eq(sessions.tokenHash, token.tokenHash);
        const found = await first(selectAgents(tx).where(isToken));
        if (!found || (clientId !== null && found.session.clientId !== clientId)) return false;
        return (await endSession(tx, found)) > 0;
      }),

    addSite: (sessionId, site) =>
      write(async (tx) => {
        const row = tx.select({ limit: sessions.limit }).from(sessions).where(eq(sessions.id, sessionId));
        const { limit = null } = (await first(row.for("update"))) ?? {};
        if (limit === null) return;
        const widened = { ...limit, sites: [...limit.sites, site] };
        await tx.update(sessions).set({ limit: widened }).where(eq(sessions.id, sessionId));
      }),

    deleteExpired: (now, unusedSince) =>
      write(async (tx) => {
        const ended = await deleteRows(tx, oauthCodes, lte(oauthCodes.expiresAt, now));
        return ended + (await deleteRows(tx, oauthClients, isForgotten(tx, unusedSince)));
      }),
  };
}

// --- internal ---

function selectAgents(db: Drizzle) {
  return db
    .select({ session: sessionColumns, user: userColumns, resource: oauthGrants.resource })
    .from(oauthGrants)
    .innerJoin(sessions, eq(sessions.id, oauthGrants.sessionId))
    .innerJoin(users, eq(users.id, sessions.userId));
}

function isAccessToken(hash: string, now: number): SQL | undefined {
  const { accessHash, accessExpiresAt, formerAccessHash, formerAccessExpiresAt } = oauthGrants;
  return or(
    and(eq(accessHash, hash), gt(accessExpiresAt, now)),
    and(eq(formerAccessHash, hash), gt(formerAccessExpiresAt, now)),
  );
}

async function forgetUnused(tx: Drizzle, most: number): Promise<void> {
  const unused = tx.select({ id: oauthClients.id }).from(oauthClients).where(isNull(oauthClients.usedAt));
  const newest = await unused.orderBy(sql`${oauthClients.createdAt} DESC`, asc(oauthClients.id)).limit(1).offset(most);
  const [oldest] = newest;
  if (oldest) await tx.delete(oauthClients).where(eq(oauthClients.id, oldest.id));
}

/** A client is remembered while it has a session, and for some time after somebody gave it access. */
function isForgotten(tx: Drizzle, unusedSince: number): SQL | undefined {
  const ofClient = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.clientId, oauthClients.id));
  return and(isNotNull(oauthClients.usedAt), lt(oauthClients.usedAt, unusedSince), not(exists(ofClient)));
}

/** Locks the session, so that it does not end before the code is stored. */
async function addCode(
  tx: Drizzle,
  code: Parameters<AgentStore["addCode"]>[0],
  sessionId: number,
  now: number,
): Promise<boolean> {
  const session = tx.select({ userId: sessions.userId }).from(sessions).where(eq(sessions.id, sessionId));
  if ((await first(session.for("share")))?.userId !== code.userId) return false;
  await tx.update(oauthClients).set({ usedAt: now }).where(eq(oauthClients.id, code.clientId));
  await tx.insert(oauthCodes).values(code);
  return true;
}

/** Locks the user before the code, as a new password does, which deletes the user's codes and sessions. */
async function redeem(
  tx: Drizzle,
  codeHash: string,
  attempt: Parameters<AgentStore["redeem"]>[1],
  { refreshHash, accessHash, session }: Parameters<AgentStore["redeem"]>[2],
): ReturnType<AgentStore["redeem"]> {
  const isCode = eq(oauthCodes.codeHash, codeHash);
  const owner = await first(tx.select({ userId: oauthCodes.userId }).from(oauthCodes).where(isCode));
  const user = owner && (await lockUser(tx, owner.userId));
  const code = user && (await first(tx.select().from(oauthCodes).where(isCode).for("update")));
  if (!code) return { refusal: await endReplayed(tx, codeHash) };
  const refusal = user.frozen ? "unknown" : judgeCode(code, attempt);
  if (refusal !== null) return { refusal };
  await tx.delete(oauthCodes).where(isCode);
  const { userId, clientName, clientId, resource, granted } = code;
  const lifetime = Math.min(granted.lifetime ?? Number.MAX_SAFE_INTEGER, session.expiresAt - attempt.now);
  const limits = { expiresAt: attempt.now + lifetime, idleLimit: Math.min(session.idleLimit, lifetime) };
  const started = await insertSession(tx, {
    ...session,
    ...limits,
    userId,
    clientName,
    clientId,
    limit: granted.limit,
  });
  const accessExpiresAt = accessTokenEnd(attempt.now, started);
  await tx
    .insert(oauthGrants)
    .values({ sessionId: started.id, codeHash, resource, refreshHash, accessHash, accessExpiresAt });
  return { granted: { session: started, user, resource } };
}

function lockUser(tx: Drizzle, id: number) {
  return first(tx.select(userColumns).from(users).where(eq(users.id, id)).for("update"));
}

/** Whoever redeems a code again may have stolen it, and so may whoever redeemed it first (RFC 6749 section 4.1.2). */
async function endReplayed(tx: Drizzle, codeHash: string): Promise<"replayed" | "unknown"> {
  const found = await first(selectAgents(tx).where(eq(oauthGrants.codeHash, codeHash)));
  if (!found) return "unknown";
  await endSession(tx, found);
  return "replayed";
}

async function refresh(
  tx: Drizzle,
  { tokenHash, refreshHash, clientId }: Parameters<AgentStore["refresh"]>[0],
  next: AgentTokens,
  now: number,
): ReturnType<AgentStore["refresh"]> {
  // Locked first, because a join that waits for a lock sees the joined rows as they were before.
  const row = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.tokenHash, tokenHash));
  await first(row.for("update"));
  const found = await first(selectAgents(tx).where(eq(sessions.tokenHash, tokenHash)));
  if (!found || !isSessionValid(found.session, now) || found.session.clientId !== clientId || found.user.frozen) {
    return { refusal: "unknown" };
  }
  const { session } = found;
  const grant = and(eq(oauthGrants.sessionId, session.id), eq(oauthGrants.refreshHash, refreshHash));
  const replaced = tx.update(oauthGrants).set({
    refreshHash: next.refreshHash,
    formerAccessHash: oauthGrants.accessHash,
    formerAccessExpiresAt: oauthGrants.accessExpiresAt,
    accessHash: next.accessHash,
    accessExpiresAt: accessTokenEnd(now, session),
  });
  if ((await countRows(replaced.where(grant).returning({ id: oauthGrants.sessionId }))) === 0) {
    await endSession(tx, found);
    return { refusal: "replayed" };
  }
  await tx.update(sessions).set({ lastUsedAt: now }).where(eq(sessions.id, session.id));
  return { granted: { ...found, session: { ...session, lastUsedAt: now } } };
}

function endSession(tx: Drizzle, { session, user }: Pick<AgentSession, "session" | "user">): Promise<number> {
  return deleteSessions(tx, eq(sessions.id, session.id), user.id);
}
