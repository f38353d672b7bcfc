import { desc, eq, type SQL } from "drizzle-orm";
import { adminChanged } from "../../domain/events/changes.ts";
import type { PlacedBackup } from "../../domain/model/backup-record.ts";
import type { BackupStore } from "../../domain/ports/store/backups.ts";
import type { Connection } from "./connection.ts";
import { backups } from "./schema.ts";

export function backupStore(connection: Connection): BackupStore {
  const { db, write, writeRelaxed, announce } = connection;
  return {
    async list() {
      return db.select().from(backups).orderBy(desc(backups.createdAt), desc(backups.id)).all();
    },

    async find(id) {
      return db.select().from(backups).where(one(id)).get() ?? null;
    },

    begin: (backup) => beginBackup(connection, backup),
    add: (place, found) => addBackups(connection, place, found),

    async change(id, to) {
      return writeRelaxed((tx) => {
        const isKnown = tx.update(backups).set(to).where(one(id)).returning({ id: backups.id }).all().length > 0;
        // A change of the progress alone is no event.
        if (isKnown && (to.state !== undefined || to.verifying !== undefined)) announce(adminChanged());
        return isKnown;
      });
    },

    async delete(id) {
      return write((tx) => {
        const isRemoved = tx.delete(backups).where(one(id)).returning({ id: backups.id }).all().length > 0;
        if (isRemoved) announce(adminChanged());
        return isRemoved;
      });
    },
  };
}

// --- internal ---

async function beginBackup(
  { write, announce }: Connection,
  { id, place, at }: { readonly id: string; readonly place: string; readonly at: number },
): Promise<string | null> {
  return write((tx) => {
    const inState = (state: "running" | "failed") =>
      tx.select({ id: backups.id }).from(backups).where(eq(backups.state, state)).get();
    if (inState("running")) return null;
    const failed = inState("failed");
    const begun = { state: "running", place, createdAt: at, progress: 0, retryAt: at } as const;
    if (failed) tx.update(backups).set(begun).where(one(failed.id)).run();
    else
      tx.insert(backups)
        .values({ id, ...begun, bytes: 0, attempts: 0, verifying: false })
        .run();
    announce(adminChanged());
    return failed?.id ?? id;
  });
}

async function addBackups(
  { db, write, announce }: Connection,
  place: string,
  found: readonly PlacedBackup[],
): Promise<void> {
  const complete = { state: "done", progress: 1, attempts: 1, verifying: false } as const;
  const known = new Set(
    db
      .select({ id: backups.id })
      .from(backups)
      .all()
      .map(({ id }) => id),
  );
  const rows = found.filter(({ id }) => !known.has(id)).map((backup) => ({ ...backup, ...complete }));
  if (rows.length === 0) return;
  await write((tx) => {
    tx.insert(backups)
      .values(rows.map((row) => ({ ...row, place })))
      .onConflictDoNothing()
      .run();
    announce(adminChanged());
  });
}

function one(id: string): SQL {
  return eq(backups.id, id);
}
