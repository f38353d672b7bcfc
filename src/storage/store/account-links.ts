import { and, eq, getTableColumns, gt, inArray, lte, sql } from "drizzle-orm";
import { adminChanged } from "../../domain/events/changes.ts";
import type {
  AccountLink,
  AccountLinkKind,
  AccountLinkStore,
  InvitedTo,
} from "../../domain/ports/store/account-links.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { addNewUser } from "./members.ts";
import { deleteRows, first } from "./rows.ts";
import { accountLinks, passkeys, users } from "./schema.ts";
import { ignoringCase } from "./sql.ts";
import { insertUser, replacePassword, userColumns } from "./users.ts";

export function accountLinkStore({ read, write }: Connection): AccountLinkStore {
  return {
    async replace(link) {
      const { member, ...stored } = link;
      await write(async (tx) => {
        // An upsert would need an expression as its target, which Drizzle does not support.
        await takeLock(tx, "account links");
        const isSameLogin = sql`${ignoringCase(accountLinks.login)} = ${ignoringCase(link.login)}`;
        await tx.delete(accountLinks).where(and(eq(accountLinks.kind, link.kind), isSameLogin));
        const { siteId = null, role: memberRole = null, addedBy: invitedBy = null } = member ?? {};
        await tx.insert(accountLinks).values({ ...stored, siteId, memberRole, invitedBy });
      });
    },

    async find(tokenHash, now) {
      const link = await read((db) => first(selectOpen(db, tokenHash, now)));
      return link && toLink(link);
    },

    async acceptInvitation(tokenHash, user, now) {
      return write(async (tx) => {
        const link = await lockOpen(tx, tokenHash, now, "invitation");
        const added = link && (await insertUser(tx, user));
        if (!added) return null;
        await forget(tx, tokenHash);
        await announce(tx, adminChanged());
        return { user: added, memberOf: await joinSite(tx, added.id, link, now) };
      });
    },

    async acceptPassword(tokenHash, { passwordHash, removedPasskeys }, now) {
      return write(async (tx) => {
        const link = await lockOpen(tx, tokenHash, now, "password");
        if (!link || link.userId === null) return null;
        const { userId: id } = link;
        await replacePassword(tx, eq(users.id, id), { id, passwordHash, keptSession: null });
        await tx.delete(passkeys).where(and(eq(passkeys.userId, id), inArray(passkeys.id, removedPasskeys)));
        await forget(tx, tokenHash);
        return first(tx.select(userColumns).from(users).where(eq(users.id, id)));
      });
    },

    async deleteExpired(now) {
      const expired = lte(accountLinks.expiresAt, now);
      return write((tx) => deleteRows(tx, accountLinks, expired));
    },
  };
}

// --- internal ---

type OpenLink = Awaited<ReturnType<typeof selectOpen>>[number];

function selectOpen(db: Drizzle, tokenHash: string, now: number) {
  const open = and(eq(accountLinks.tokenHash, tokenHash), gt(accountLinks.expiresAt, now));
  // Not a join, whose rows could not be locked.
  const siteName = sql<string | null>`(SELECT name FROM sites AS named WHERE named.id = account_links.site_id)`;
  return db
    .select({ ...getTableColumns(accountLinks), siteName })
    .from(accountLinks)
    .where(open);
}

function toLink({ kind, login, userId, name, expiresAt, siteName, memberRole: role }: OpenLink): AccountLink {
  const invitedTo = siteName !== null && role !== null ? { siteName, role } : null;
  return { kind, login, userId, name, invitedTo, expiresAt };
}

/** Makes a new user a member of the site that the invitation names. Returns null without a membership. */
async function joinSite(tx: Drizzle, userId: number, link: OpenLink, at: number): Promise<InvitedTo | null> {
  const { siteId, invitedBy: addedBy } = link;
  const { invitedTo } = toLink(link);
  if (siteId === null || invitedTo === null) return null;
  const isMember = await addNewUser(tx, siteId, userId, { role: invitedTo.role, addedBy, at });
  return isMember ? invitedTo : null;
}

/** Locks the link, so that the second of two concurrent uses finds none. */
async function lockOpen(tx: Drizzle, tokenHash: string, now: number, kind: AccountLinkKind): Promise<OpenLink | null> {
  const link = await first(selectOpen(tx, tokenHash, now).for("update"));
  return link?.kind === kind ? link : null;
}

async function forget(tx: Drizzle, tokenHash: string): Promise<void> {
  await tx.delete(accountLinks).where(eq(accountLinks.tokenHash, tokenHash));
}
