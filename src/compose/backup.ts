import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { archiveTarget } from "../adapters/backup/archive.ts";
import { folderTarget } from "../adapters/backup/folder.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import type { Config } from "../config.ts";
import { type BackupReport, backup } from "../domain/backup/backup.ts";
import { timestamp } from "../domain/timestamp.ts";
import { dataFolder, UnusableDataFolder } from "./data-folder.ts";
import { withDataFolder } from "./operator.ts";
import { VERSION } from "./version.ts";

/**
 * Copies everything to a file, or into a folder where `destination` is one or ends with a slash; the appliance may be
 * serving meanwhile. Throws UnusableDataFolder where there is nothing to copy.
 */
export async function backupDataFolder(
  config: Config,
  destination: string,
  progress: (contents: number) => void,
): Promise<BackupReport> {
  const folder = dataFolder(config.dataDir);
  if (!existsSync(folder.database)) throw noDataFolder(folder.root);
  const settings = join(folder.root, "vitrine.toml");
  return withDataFolder(config, async ({ store, clock }) => {
    const files = {
      database: folder.database,
      contentPath: openFilesystemBlobs(folder.content).path,
      settings: existsSync(settings) ? settings : null,
      description: `${JSON.stringify({ format: 1, vitrine: VERSION.version, created_at: timestamp(clock.now()) })}\n`,
    };
    const target = isFolder(destination) ? folderTarget(destination, files) : archiveTarget(destination, files);
    try {
      return await backup({ contents: store.contents, target }, progress);
    } catch (error) {
      await target.abandon();
      throw error;
    }
  });
}

export function noDataFolder(root: string): UnusableDataFolder {
  return new UnusableDataFolder(`${root} is no data folder: it has no vitrine.db`);
}

export function isFolder(path: string): boolean {
  return path.endsWith("/") || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}
