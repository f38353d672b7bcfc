import { and, eq, gt, lte } from "drizzle-orm";
import { adminChanged, sessionsChanged } from "../../domain/events/changes.ts";
import type { AccountLinkKind, AccountLinkStore } from "../../domain/ports/store/account-links.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { accountLinks, users } from "./schema.ts";
import { insertUser, replacePassword, userColumns } from "./users.ts";

const linkColumns = columnsExcept(accountLinks, "tokenHash");

export function accountLinkStore({ db, write, announce }: Connection): AccountLinkStore {
  return {
    async replace(link) {
      const target = [accountLinks.kind, accountLinks.login];
      await write((tx) => tx.insert(accountLinks).values(link).onConflictDoUpdate({ target, set: link }).run());
    },

    async find(tokenHash, now) {
      return findLink(db, tokenHash, now);
    },

    async acceptInvitation(tokenHash, user, now) {
      return write((tx) => {
        if (!isOpen(tx, tokenHash, now, "invitation")) return null;
        const added = insertUser(tx, user);
        if (added) {
          forget(tx, tokenHash);
          announce(adminChanged());
        }
        return added;
      });
    },

    async acceptPassword(tokenHash, passwordHash, now) {
      return write((tx) => {
        const link = isOpen(tx, tokenHash, now, "password");
        if (!link || link.userId === null) return null;
        replacePassword(tx, eq(users.id, link.userId), { id: link.userId, passwordHash, keptSession: null });
        announce(sessionsChanged(link.userId));
        forget(tx, tokenHash);
        return tx.select(userColumns).from(users).where(eq(users.id, link.userId)).get() ?? null;
      });
    },

    async deleteExpired(now) {
      const expired = lte(accountLinks.expiresAt, now);
      return write((tx) => tx.delete(accountLinks).where(expired).returning(linkColumns).all().length);
    },
  };
}

// --- internal ---

function findLink(from: Drizzle, tokenHash: string, now: number) {
  const open = and(eq(accountLinks.tokenHash, tokenHash), gt(accountLinks.expiresAt, now));
  return from.select(linkColumns).from(accountLinks).where(open).get() ?? null;
}

function isOpen(tx: Drizzle, tokenHash: string, now: number, kind: AccountLinkKind) {
  const link = findLink(tx, tokenHash, now);
  return link?.kind === kind ? link : null;
}

function forget(tx: Drizzle, tokenHash: string): void {
  tx.delete(accountLinks).where(eq(accountLinks.tokenHash, tokenHash)).run();
}
