import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { adminChanged } from "../../domain/events/changes.ts";
import type { AccountLink, AccountLinkKind, AccountLinkStore } from "../../domain/ports/store/account-links.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { countRows, first } from "./rows.ts";
import { accountLinks, passkeys, users } from "./schema.ts";
import { ignoringCase } from "./sql.ts";
import { insertUser, replacePassword, userColumns } from "./users.ts";

const linkColumns = columnsExcept(accountLinks, "tokenHash");

export function accountLinkStore({ read, write }: Connection): AccountLinkStore {
  return {
    async replace(link) {
      await write(async (tx) => {
        // An upsert would need an expression as its target, which Drizzle does not support.
        await takeLock(tx, "account links");
        const isSameLogin = sql`${ignoringCase(accountLinks.login)} = ${ignoringCase(link.login)}`;
        await tx.delete(accountLinks).where(and(eq(accountLinks.kind, link.kind), isSameLogin));
        await tx.insert(accountLinks).values(link);
      });
    },

    find: (tokenHash, now) => read((db) => first(selectOpen(db, tokenHash, now))),

    async acceptInvitation(tokenHash, user, now) {
      return write(async (tx) => {
        if (!(await lockOpen(tx, tokenHash, now, "invitation"))) return null;
        const added = await insertUser(tx, user);
        if (added) {
          await forget(tx, tokenHash);
          await announce(tx, adminChanged());
        }
        return added;
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
      return write((tx) => countRows(tx.delete(accountLinks).where(expired).returning({ kind: accountLinks.kind })));
    },
  };
}

// --- internal ---

function selectOpen(db: Drizzle, tokenHash: string, now: number) {
  const open = and(eq(accountLinks.tokenHash, tokenHash), gt(accountLinks.expiresAt, now));
  return db.select(linkColumns).from(accountLinks).where(open);
}

/** Locks the link, so that the second of two concurrent uses finds none. */
async function lockOpen(
  tx: Drizzle,
  tokenHash: string,
  now: number,
  kind: AccountLinkKind,
): Promise<AccountLink | null> {
  const link = await first(selectOpen(tx, tokenHash, now).for("update"));
  return link?.kind === kind ? link : null;
}

async function forget(tx: Drizzle, tokenHash: string): Promise<void> {
  await tx.delete(accountLinks).where(eq(accountLinks.tokenHash, tokenHash));
}
