import { and, eq, gt } from "drizzle-orm";
import type { SetupLinkStore } from "../../domain/ports/store/setup-links.ts";
import type { Connection } from "./connection.ts";
import { first } from "./rows.ts";
import { setupLinks } from "./schema.ts";

export function setupLinkStore({ read, write }: Connection): SetupLinkStore {
  return {
    async replace(codeHash, expiresAt) {
      const link = { codeHash, expiresAt };
      const replaced = { target: setupLinks.id, set: link };
      await write((tx) =>
        tx
          .insert(setupLinks)
          .values({ id: 1, ...link })
          .onConflictDoUpdate(replaced),
      );
    },

    async isOpen(codeHash, now) {
      const open = and(eq(setupLinks.codeHash, codeHash), gt(setupLinks.expiresAt, now));
      return read(async (db) => (await first(db.select({ id: setupLinks.id }).from(setupLinks).where(open))) !== null);
    },
  };
}
