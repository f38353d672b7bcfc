import { adminChanged } from "../../domain/events/changes.ts";
import type { BackupRecord } from "../../domain/model/backup-record.ts";
import type { BackupStore } from "../../domain/ports/store/backups.ts";
import { by, type Memory } from "./tables.ts";

const FRESH = { bytes: 0, progress: 0, error: null, attempts: 0, verifiedAt: null, verifying: false } as const;
const COMPLETE = { ...FRESH, state: "done", progress: 1, attempts: 1, retryAt: null } as const;

export function backupStore(memory: Memory): BackupStore {
  const { backups } = memory;
  const announced = <T>(result: T): T => {
    memory.announce(adminChanged());
    return result;
  };
  const newestFirst = by<BackupRecord>(({ createdAt }) => -createdAt);
  return {
    list: async () => backups.filter({}).sort(newestFirst),
    find: async (id) => backups.find({ id }) ?? null,
    async begin({ id, place, at }) {
      if (backups.find({ state: "running" })) return null;
      const failed = backups.find({ state: "failed" });
      const begun = { state: "running", place, createdAt: at, progress: 0, retryAt: at } as const;
      if (failed) backups.update({ id: failed.id }, begun);
      else backups.add({ id, ...FRESH, ...begun });
      return announced(failed?.id ?? id);
    },
    async add(place, found) {
      for (const backup of found)
        if (!backups.find({ id: backup.id })) announced(backups.add({ ...COMPLETE, ...backup, place }));
    },
    async change(id, to) {
      const isKnown = backups.update({ id }, to).length > 0;
      return isKnown && (to.state !== undefined || to.verifying !== undefined) ? announced(true) : isKnown;
    },
    delete: async (id) => backups.remove({ id }).length > 0 && announced(true),
  };
}
