import type { Database } from "bun:sqlite";
import { and, desc, eq, lt } from "drizzle-orm";
import type { AuditEntry, AuditStore } from "../../../domain/ports/store/audit.ts";
import type { Connection } from "./connection.ts";
import { audit } from "./schema.ts";

export function auditStore({ db, writeForgettable }: Connection): AuditStore {
  return {
    async append(entry) {
      // With the change itself durable, its entry may wait for the next commit.
      writeForgettable((tx) => {
        const last = tx.select({ hash: audit.hash }).from(audit).orderBy(desc(audit.id)).limit(1).get();
        tx.insert(audit)
          .values({ ...entry, hash: linkedHash(last?.hash ?? "", entry) })
          .run();
      });
    },

    async list({ site, limit, before }) {
      const wanted = and(
        site === null ? undefined : eq(audit.site, site),
        before === null ? undefined : lt(audit.id, before),
      );
      const rows = db.select().from(audit).where(wanted).orderBy(desc(audit.id)).limit(limit).all();
      return rows.map(({ hash: _, ...entry }) => entry);
    },
  };
}

/** Returns where the log is not what was written: somebody changed, removed or inserted an entry there. */
export function auditProblems(raw: Database): string[] {
  const rows = raw
    .query<AuditEntry & { id: number; hash: string }, []>(
      "SELECT id, at, kind, actor, address, action, site, subject, hash FROM audit ORDER BY id",
    )
    .iterate();
  let previous = "";
  for (const { id, hash, ...entry } of rows) {
    if (hash !== linkedHash(previous, entry)) return [`the audit log was changed at entry ${id}`];
    previous = hash;
  }
  return [];
}

/** Binds an entry to all before it. */
function linkedHash(previous: string, { at, kind, actor, address, action, site, subject }: AuditEntry): string {
  const text = JSON.stringify([previous, at, kind, actor, address, action, site, subject]);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
