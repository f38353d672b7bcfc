import { join } from "node:path";
import { s3Objects } from "../../clients/s3/objects.ts";
import type { Config } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import type { S3Destination } from "../../domain/backups/destination.ts";
import type { BackupSchedule } from "../../domain/backups/schedule.ts";
import { DomainError } from "../../domain/errors.ts";
import type { BackupPlace } from "../../domain/ports/backup-place.ts";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { dataFolder } from "../../storage/data-folder/data-folder.ts";
import { backupPlace } from "../../storage/data-folder/scheduled/place.ts";
import { serverSource } from "../../storage/data-folder/scheduled/source.ts";
import { folderObjects } from "../../storage/objects/folder.ts";
import { spaceGuard } from "../../storage/space-guard.ts";

type Keys = Pick<Config, "s3AccessKeyId" | "s3SecretAccessKey">;

type BackupConfig = Keys & Pick<Config, "backupTo" | "backupEvery" | "backupKeep" | "dataDir" | "settingsFile">;

/** Returns the schedule that the settings ask for. */
export function backupSchedule(config: BackupConfig): BackupSchedule {
  return { to: backupObjects(config).place, every: config.backupEvery, keep: config.backupKeep };
}

/** Returns where the server's backups are kept. Nothing is opened or requested yet. */
export function serverBackups(config: BackupConfig): BackupPlace {
  const { settingsFile, backupTo } = config;
  const options = { settingsFile, version: VERSION.version, sharesContent: backupTo === null };
  return backupPlace(backupObjects(config), serverSource(dataFolder(config.dataDir), options));
}

/** Returns the objects of a bucket. Throws `unavailable` without the keys. */
export function bucketObjects(destination: S3Destination, { s3AccessKeyId, s3SecretAccessKey }: Keys): ObjectStore {
  if (s3AccessKeyId === null || s3SecretAccessKey === null) {
    throw new DomainError("unavailable", "set VITRINE_S3_ACCESS_KEY_ID and VITRINE_S3_SECRET_ACCESS_KEY");
  }
  return s3Objects(destination, { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey });
}

// --- internal ---

function backupObjects(config: BackupConfig): ObjectStore {
  const { backupTo, dataDir } = config;
  if (backupTo === null) return folderObjects(join(dataDir, "backups"), spaceGuard(dataDir));
  return backupTo.kind === "folder" ? folderObjects(backupTo.path) : bucketObjects(backupTo, config);
}
