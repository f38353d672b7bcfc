import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BackupPart, BackupTarget, Copied } from "../../domain/ports/backup.ts";
import type { Blobs } from "../../domain/ports/blobs.ts";
import { openFilesystemBlobs } from "../blobs/filesystem.ts";
import { storeContent } from "../blobs/store-content.ts";
import { syncPath } from "../blobs/unsynced.ts";
import { takeSnapshot } from "../store/sqlite/snapshot.ts";
import type { BackupFiles } from "./files.ts";
import { DESCRIPTION, SETTINGS, STORE } from "./layout.ts";

/**
 * Returns a target that keeps a folder up to date: only content that is not there yet is copied, and what no longer
 * belongs to the backup is removed after its database has taken its place. Until then the backup before stays whole.
 */
export function folderTarget(folder: string, files: BackupFiles): BackupTarget {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const blobs = openFilesystemBlobs(join(folder, "content"));
  const copyOfStore = join(folder, `${STORE}.partial`);
  return {
    takeSnapshot: async () => takeSnapshot(files.database, copyOfStore),
    has: ({ digest, size }) => statSync(blobs.path(digest), { throwIfNoEntry: false })?.size === size,

    async copy({ digest }): Promise<Copied> {
      const path = files.contentPath(digest);
      if (!existsSync(path)) return "missing";
      return (await storeContent(blobs, digest, Bun.file(path).stream())) ? "copied" : "damaged";
    },

    async complete(snapshot) {
      const kept = new Set([...snapshot.contents()].map(({ digest }) => digest));
      await blobs.sync();
      syncPath(snapshot.file);
      renameSync(snapshot.file, join(folder, STORE));
      if (files.settings !== null) writePrivate(join(folder, SETTINGS), readFileSync(files.settings));
      writePrivate(join(folder, DESCRIPTION), files.description);
      syncPath(folder);
      await prune(blobs, kept);
    },

    async abandon() {
      rmSync(copyOfStore, { force: true });
    },
  };
}

/** Yields the parts of a backup folder. */
export async function* partsOfFolder(folder: string): AsyncGenerator<BackupPart> {
  const part = (kind: BackupPart["kind"], path: string, digest = ""): BackupPart => ({
    kind,
    digest,
    size: statSync(path).size,
    read: () => Bun.file(path).stream(),
  });
  const content = join(folder, "content");
  if (existsSync(content)) {
    const blobs = openFilesystemBlobs(content);
    for await (const { digest } of blobs.list()) yield part("content", blobs.path(digest), digest);
  }
  for (const [kind, name] of [
    ["settings", SETTINGS],
    ["description", DESCRIPTION],
    ["store", STORE],
  ] as const) {
    if (existsSync(join(folder, name))) yield part(kind, join(folder, name));
  }
}

async function prune(blobs: Blobs, kept: ReadonlySet<string>): Promise<void> {
  for await (const { digest } of blobs.list()) if (!kept.has(digest)) blobs.discard(digest);
  blobs.purge();
}

function writePrivate(file: string, content: string | Uint8Array): void {
  writeFileSync(file, content, { mode: 0o600 });
}
