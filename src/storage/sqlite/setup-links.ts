import { and, eq, gt } from "drizzle-orm";
import type { SetupLinkStore } from "../../domain/ports/store/setup-links.ts";
import type { Connection } from "./connection.ts";
import { setupLinks } from "./schema.ts";

export function setupLinkStore({ db, write }: Connection): SetupLinkStore {
  return {
    async replace(codeHash, expiresAt) {
      const link = { codeHash, expiresAt };
      await write((tx) =>
        tx
          .insert(setupLinks)
          .values({ id: 1, ...link })
          .onConflictDoUpdate({ target: setupLinks.id, set: link })
          .run(),
      );
    },

    async isOpen(codeHash, now) {
      const open = and(eq(setupLinks.codeHash, codeHash), gt(setupLinks.expiresAt, now));
      return db.select({ id: setupLinks.id }).from(setupLinks).where(open).get() !== undefined;
    },
  };
}
