import { isBackupId } from "../../../domain/backups/backup-record.ts";
import { isDigest } from "../../../domain/deployments/digest.ts";
import { DESCRIPTION, SETTINGS, STORE } from "../backup/layout.ts";

// The names of objects at a place. They differ from those of `vitrine backup FOLDER`, so that neither removes what the
// other needs. Everything else at the place is not the server's.

/** Digests and sizes of a backup's content, one line each. */
export const CONTENTS = "contents.txt";

/** A backup without a description is unfinished: it is written last. */
export const PARTS = [STORE, SETTINGS, CONTENTS, DESCRIPTION] as const;

export const BACKUPS = "backups/";
export const FILES = "files/";

export function partName(id: string, part: (typeof PARTS)[number]): string {
  return `${BACKUPS}${id}/${part}`;
}

export function fileName(digest: string): string {
  return `${FILES}${digest.slice(0, 2)}/${digest}`;
}

/** Returns the backup to which an object belongs, and which part of it that is; null for others. */
export function partOf(name: string): { readonly id: string; readonly part: string } | null {
  const [, id = "", part = ""] = /^backups\/([^/]+)\/([^/]+)$/.exec(name) ?? [];
  return isBackupId(id) && (PARTS as readonly string[]).includes(part) ? { id, part } : null;
}

/** Returns the digest of an object that is content; null for others. */
export function digestOf(name: string): string | null {
  const digest = name.slice(name.lastIndexOf("/") + 1);
  return isDigest(digest) && name === fileName(digest) ? digest : null;
}
