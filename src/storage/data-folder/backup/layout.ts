import type { BackupPart } from "../../../domain/ports/backup.ts";

// A backup lies as a data folder does, in an archive as in a folder.
export const STORE = "vitrine.db";
export const SETTINGS = "vitrine.toml";
export const DESCRIPTION = "vitrine-backup.json";

/** Returns which part a name stands for; null for names that are none of a backup's: they are passed over. */
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
