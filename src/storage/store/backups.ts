import { desc, eq, type SQL } from "drizzle-orm";
import { adminChanged } from "../../domain/events/changes.ts";
import type { PlacedBackup } from "../../domain/model/backup-record.ts";
import type { BackupStore } from "../../domain/ports/store/backups.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce, deleteAnnounced } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { first } from "./rows.ts";
import { backups } from "./schema.ts";

export function backupStore({ read, write, writeRelaxed }: Connection): BackupStore {
  return {
    list: () => read((db) => db.select().from(backups).orderBy(desc(backups.createdAt), desc(backups.id))),
    find: (id) => read((db) => first(db.select().from(backups).where(one(id)))),
    begin: (backup) => write((tx) => beginBackup(tx, backup)),

    async add(place, found) {
      if (found.length > 0) await write((tx) => addBackups(tx, place, found));
    },

    async change(id, to) {
      return writeRelaxed(async (tx) => {
        const changed = tx.update(backups).set(to).where(one(id)).returning({ id: backups.id });
        const isKnown = (await first(changed)) !== null;
        // A change of the progress alone is no event.
        if (isKnown && (to.state !== undefined || to.verifying !== undefined)) await announce(tx, adminChanged());
        return isKnown;
      });
    },

    delete: (id) => write((tx) => deleteAnnounced(tx, backups, one(id), adminChanged())),
  };
}

// --- internal ---

async function beginBackup(
  tx: Drizzle,
  { id, place, at }: { readonly id: string; readonly place: string; readonly at: number },
): Promise<string | null> {
  await takeLock(tx, "backups");
  const inState = (state: "running" | "failed") =>
    first(tx.select({ id: backups.id }).from(backups).where(eq(backups.state, state)).limit(1));
  if (await inState("running")) return null;
  const failed = await inState("failed");
  const begun = { state: "running", place, createdAt: at, progress: 0, retryAt: at } as const;
  const fresh = { id, ...begun, bytes: 0, attempts: 0, verifying: false };
  if (failed) await tx.update(backups).set(begun).where(one(failed.id));
  else await tx.insert(backups).values(fresh);
  await announce(tx, adminChanged());
  return failed?.id ?? id;
}

async function addBackups(tx: Drizzle, place: string, found: readonly PlacedBackup[]): Promise<void> {
  const complete = { state: "done", progress: 1, attempts: 1, verifying: false } as const;
  const rows = found.map((backup) => ({ ...backup, ...complete, place }));
  const added = tx.insert(backups).values(rows).onConflictDoNothing();
  if (await first(added.returning({ id: backups.id }))) await announce(tx, adminChanged());
}

function one(id: string): SQL {
  return eq(backups.id, id);
}
