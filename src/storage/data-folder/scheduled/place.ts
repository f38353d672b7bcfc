import { eachInParallel } from "../../../domain/each-in-parallel.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { BackupCheck, BackupPlace } from "../../../domain/ports/backup-place.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import { DESCRIPTION, STORE } from "../../folder/layout.ts";
import { parseDescription } from "../backup/description.ts";
import { asFarAsReadable } from "../backup/readable-parts.ts";
import { removeAbandoned } from "../backup/work-folder.ts";
import { backupArchive } from "./archive.ts";
import { fileName, partName } from "./names.ts";
import { contentsOf, listComplete, readText, removeParts, sizesOfContent, sweepObjects } from "./objects.ts";
import type { BackupSource } from "./source.ts";
import { copyContent, placedTarget } from "./target.ts";

/** Returns the backups in an object store. */
export function backupPlace(objects: ObjectStore, source: BackupSource): BackupPlace {
  return {
    name: objects.place,
    width: objects.width,
    list: () => listComplete(objects),

    async open({ id, createdAt }) {
      await objects.prepare();
      removeAbandoned(source.scratch);
      const known = await sizesOfContent(objects);
      return placedTarget(objects, source.files(createdAt), { ...source, id, known });
    },

    verify: (id, progress) => verifyBackup(objects, source, id, progress),
    delete: (id) => removeParts(objects, id),
    sweep: () => sweepObjects(objects),
    archive: (id) => backupArchive(objects, id),
  };
}

// --- internal ---

async function verifyBackup(
  objects: ObjectStore,
  source: BackupSource,
  id: string,
  progress: (contents: number) => void,
): Promise<BackupCheck> {
  const damaged: string[] = [];
  let repaired = 0;
  let checked = 0;
  await eachInParallel(contentsOf(objects, id), objects.width, async ({ digest }) => {
    if ((await digestAt(objects, fileName(digest))) !== digest) {
      if ((await copyContent(objects, source, digest)) === "copied") repaired++;
      else damaged.push(digest);
    }
    progress(++checked);
  });
  const description = await readText(objects, partName(id, DESCRIPTION));
  if (description === null) throw new DomainError("not_found", `there is no complete backup ${id} in ${objects.place}`);
  const database = await digestAt(objects, partName(id, STORE));
  if (database === null || !parseDescription(description).database_sha256.includes(database)) damaged.push(STORE);
  await objects.sync();
  return { repaired, damaged };
}

/** Returns the SHA-256 of an object; null if there is none. */
async function digestAt(objects: ObjectStore, name: string): Promise<string | null> {
  const chunks = await objects.read(name);
  if (chunks === null) return null;
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of asFarAsReadable(chunks)) hasher.update(chunk);
  return hasher.digest("hex");
}
