/** The description of a backup, in JSON, for people and for `vitrine restore`. */
export interface Description {
  readonly format: 1;
  readonly vitrine: string;
  readonly created_at: string;
  /** The original path of its settings; null if they were in the data folder, or if there are none. */
  readonly settings_from: string | null;
  /**
   * The possible digests of its database. There are two only in a folder while the second database replaces the first.
   */
  readonly database_sha256: readonly string[];
  /** The bytes that it added at its destination; only for scheduled backups, which share their content. */
  readonly added_bytes?: number;
}

export function formatDescription(description: Description): string {
  return `${JSON.stringify(description)}\n`;
}

/** The fields that restoring needs. */
type Known = Pick<Description, "settings_from" | "database_sha256">;

/** Earlier backups have no such description. */
export const NO_DESCRIPTION: Known = { settings_from: null, database_sha256: [] };

export function parseDescription(text: string): Known {
  return { ...NO_DESCRIPTION, ...(JSON.parse(text) as Partial<Known>) };
}
