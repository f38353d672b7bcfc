import { join } from "node:path";
import type { Config } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import type { BackupSchedule } from "../../domain/backups/schedule.ts";
import type { BackupPlace } from "../../domain/ports/backup-place.ts";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { postgresDatabase, sqliteDatabase } from "../../storage/data-folder/backup/database-source.ts";
import { backupPlace } from "../../storage/data-folder/scheduled/place.ts";
import { serverSource } from "../../storage/data-folder/scheduled/source.ts";
import { spaceGuard } from "../../storage/disk/space-guard.ts";
import { dataFolder } from "../../storage/folder/data-folder.ts";
import { folderObjects } from "../../storage/objects/folder.ts";
import type { KeptContent } from "../../storage/open.ts";
import { bucketObjects } from "./storage.ts";

type Keys = Pick<Config, "s3AccessKeyId" | "s3SecretAccessKey">;

type BackupConfig = Keys &
  Pick<Config, "backupTo" | "backupEvery" | "backupKeep" | "content" | "dataDir" | "database" | "settingsFile">;

/** Returns the schedule in the settings. */
export function backupSchedule(config: BackupConfig): BackupSchedule {
  return { to: backupObjects(config).place, every: config.backupEvery, keep: config.backupKeep };
}

/** Returns the destination of the server's backups. Opens and requests nothing yet. */
export function serverBackups(config: BackupConfig, content: KeptContent): BackupPlace {
  const { settingsFile, backupTo } = config;
  const sharesContent = backupTo === null && config.content === null;
  const folder = dataFolder(config.dataDir);
  const database = config.database ? postgresDatabase(config.database) : sqliteDatabase(folder.database);
  const options = { settingsFile, version: VERSION.version, database, content, sharesContent };
  return backupPlace(backupObjects(config), serverSource(folder, options));
}

// --- internal ---

function backupObjects(config: BackupConfig): ObjectStore {
  const { backupTo, dataDir } = config;
  if (backupTo === null) return folderObjects(join(dataDir, "backups"), spaceGuard(dataDir));
  return backupTo.kind === "folder" ? folderObjects(backupTo.path) : bucketObjects(backupTo, config);
}
