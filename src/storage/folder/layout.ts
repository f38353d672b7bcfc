import type { BackupPart } from "../../domain/ports/backup.ts";

// A backup has the layout of a data folder, in an archive as in a folder.
export const STORE = "vitrine.db";
export const SETTINGS = "vitrine.toml";
export const DESCRIPTION = "vitrine-backup.json";

/** Returns the kind of part that a name stands for; null for other names, which are skipped. */
export function partOf(name: string): Pick<BackupPart, "kind" | "digest"> | null {
  const [, digest] = /^(?:\.\/)?content\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name) ?? [];
  if (digest) return { kind: "content", digest };
  switch (name.replace(/^\.\//, "")) {
    case STORE:
      return { kind: "store", digest: "" };
    case SETTINGS:
      return { kind: "settings", digest: "" };
    case DESCRIPTION:
      return { kind: "description", digest: "" };
    default:
      return null;
  }
}
