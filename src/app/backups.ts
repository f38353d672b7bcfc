import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { s3Objects } from "../clients/s3/objects.ts";
import type { Config } from "../config/settings.ts";
import { VERSION } from "../config/version.ts";
import { type BackupDestination, parseS3Address, S3_SCHEME } from "../domain/backups/destination.ts";
import type { BackupSchedule } from "../domain/backups/schedule.ts";
import { errorCode } from "../domain/error-message.ts";
import { DomainError } from "../domain/errors.ts";
import type { BackupPlace } from "../domain/ports/backup-place.ts";
import type { ObjectStore } from "../domain/ports/objects.ts";
import { timestamp } from "../domain/timestamp.ts";
import { lookAtContent } from "../storage/content/filesystem/filesystem.ts";
import { placesIn } from "../storage/content/filesystem/places.ts";
import { dataFolder, UnusableBackup } from "../storage/data-folder/data-folder.ts";
import type { RestoreSource } from "../storage/data-folder/restore.ts";
import { BACKUPS } from "../storage/data-folder/scheduled/names.ts";
import { listComplete, originIn } from "../storage/data-folder/scheduled/objects.ts";
import { backupPlace } from "../storage/data-folder/scheduled/place.ts";
import { folderObjects } from "../storage/objects/folder.ts";
import { spaceGuard } from "../storage/space-guard.ts";

type BackupConfig = Pick<
  Config,
  "backupTo" | "backupEvery" | "backupKeep" | "dataDir" | "s3AccessKeyId" | "s3SecretAccessKey" | "settingsFile"
>;

/** Returns the schedule that the settings ask for. */
export function backupSchedule(config: BackupConfig): BackupSchedule {
  return { to: backupObjects(config).place, every: config.backupEvery, keep: config.backupKeep };
}

/** Returns where the server's backups are kept. Nothing is opened or requested yet. */
export function serverBackups(config: BackupConfig): BackupPlace {
  const folder = dataFolder(config.dataDir);
  const content = lookAtContent(folder.content);
  const settingsFile = config.settingsFile ?? folder.settings;
  return backupPlace(backupObjects(config), {
    scratch: folder.root,
    content,
    // On the same disk a copy would only take space.
    fileOf: config.backupTo === null ? placesIn(folder.content).path : null,
    files: (createdAt) => ({
      database: folder.database,
      content,
      settings: readSettings(settingsFile),
      origin: {
        vitrine: VERSION.version,
        created_at: timestamp(createdAt),
        settings_from: settingsFile === folder.settings ? null : settingsFile,
      },
    }),
  });
}

/** Returns the objects at a destination. Throws `unavailable` if it needs keys and there are none. */
export function destinationObjects(
  destination: BackupDestination,
  { s3AccessKeyId, s3SecretAccessKey }: Pick<Config, "s3AccessKeyId" | "s3SecretAccessKey">,
): ObjectStore {
  if (destination.kind === "folder") return folderObjects(destination.path);
  if (s3AccessKeyId === null || s3SecretAccessKey === null) {
    throw new DomainError("unavailable", "set VITRINE_S3_ACCESS_KEY_ID and VITRINE_S3_SECRET_ACCESS_KEY");
  }
  return s3Objects(destination, { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey });
}

/**
 * Returns what `vitrine restore` is to read: `s3://…[#id]`, `FOLDER[#id]` for scheduled backups, or the path of a backup
 * made by hand. Of a folder that has both, the newer one. Throws UnusableBackup for an unusable address.
 */
export async function restoreSource(named: string, config: BackupConfig): Promise<RestoreSource> {
  const [, place = "", id = null] = existsSync(named)
    ? [named, named]
    : (/^([^#]*)#(.*)$/.exec(named) ?? [named, named]);
  if (place.startsWith(S3_SCHEME)) {
    const destination = parseS3Address(place);
    if (typeof destination === "string") throw new UnusableBackup(`${place} is not usable: give ${destination}`);
    return { objects: destinationObjects(destination, config), id };
  }
  if (id !== null && existsSync(place)) return { objects: folderObjects(place), id };
  return (await isScheduled(place)) ? { objects: folderObjects(place), id } : named;
}

// --- internal ---

async function isScheduled(path: string): Promise<boolean> {
  if (!existsSync(join(path, BACKUPS))) return false;
  const { description } = dataFolder(path);
  const scheduled = (await listComplete(folderObjects(path))).map(({ createdAt }) => createdAt);
  const byHand = existsSync(description) ? originIn(readFileSync(description, "utf8")) : null;
  return Math.max(...scheduled) > (byHand?.createdAt ?? 0);
}

function backupObjects(config: BackupConfig): ObjectStore {
  if (config.backupTo !== null) return destinationObjects(config.backupTo, config);
  return folderObjects(join(config.dataDir, "backups"), spaceGuard(config.dataDir));
}

/** A backup without the settings would be missed only when it is needed. */
function readSettings(file: string): Uint8Array | null {
  if (!existsSync(file)) return null;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new DomainError("unavailable", `the settings file ${file} cannot be read (${errorCode(error)})`);
  }
}
