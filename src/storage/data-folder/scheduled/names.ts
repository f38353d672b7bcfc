import { isDigest } from "../../../domain/deployments/digest.ts";
import { isBackupId } from "../../../domain/model/backup-record.ts";
import { DESCRIPTION, SETTINGS, STORE } from "../../folder/layout.ts";

// The names of objects at a destination. They differ from those of `vitrine backup FOLDER`, so that neither removes the
// other's files. The server ignores everything else.

/** The digests and sizes of a backup's content, one per line. */
export const CONTENTS = "contents.txt";

/** The description is written last, so a backup without one is unfinished. */
export const PARTS = [STORE, SETTINGS, CONTENTS, DESCRIPTION] as const;

export const BACKUPS = "backups/";
export const FILES = "files/";

export function partName(id: string, part: (typeof PARTS)[number]): string {
  return `${BACKUPS}${id}/${part}`;
}

export function fileName(digest: string): string {
  return `${FILES}${digest.slice(0, 2)}/${digest}`;
}

/** Returns the backup and the part that an object is; null for others. */
export function partOf(name: string): { readonly id: string; readonly part: string } | null {
  const [, id = "", part = ""] = /^backups\/([^/]+)\/([^/]+)$/.exec(name) ?? [];
  return isBackupId(id) && (PARTS as readonly string[]).includes(part) ? { id, part } : null;
}

/** Returns the digest if an object is content; null for others. */
export function digestOf(name: string): string | null {
  const digest = name.slice(name.lastIndexOf("/") + 1);
  return isDigest(digest) && name === fileName(digest) ? digest : null;
}
