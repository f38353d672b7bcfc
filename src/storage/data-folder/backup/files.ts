import type { ContentStore } from "../../../domain/ports/content.ts";
import type { Description } from "./description.ts";

/** What a backup is made of, as files of a data folder. */
export interface BackupFiles {
  readonly database: string;
  readonly content: Pick<ContentStore, "read" | "stat">;
  /** What the settings file holds; null where there is none. */
  readonly settings: Uint8Array | null;
  /** Says what made the backup, when, and of what. */
  readonly origin: Pick<Description, "vitrine" | "created_at" | "settings_from">;
}

/** Another process uses the place that the backup goes to, or comes from. */
export class TargetInUse extends Error {}
