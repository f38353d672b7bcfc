import type { ContentStore } from "../../../domain/ports/content.ts";
import type { DatabaseSource } from "./database-source.ts";
import type { Description } from "./description.ts";

/** The parts of a backup, as files of a data folder. */
export interface BackupFiles {
  readonly database: DatabaseSource;
  readonly content: Pick<ContentStore, "read" | "stat">;
  /** The content of the settings file; null if there is none. */
  readonly settings: Uint8Array | null;
  /** Version, time and original settings file of the backup. */
  readonly origin: Pick<Description, "vitrine" | "created_at" | "settings_from">;
}

/** Another process uses the folder of the backup. */
export class TargetInUse extends Error {}
