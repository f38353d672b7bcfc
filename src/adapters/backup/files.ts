import type { Description } from "./description.ts";

/** What a backup is made of, as files of a data folder. */
export interface BackupFiles {
  readonly database: string;
  readonly contentPath: (digest: string) => string;
  /** The settings file; null where there is none. */
  readonly settings: string | null;
  /** Says what made the backup, and when. */
  readonly origin: Pick<Description, "vitrine" | "created_at">;
}

/** Another process uses the place that the backup goes to. */
export class TargetInUse extends Error {}
