/** What a backup says of itself, in JSON, for people as for whoever restores it. */
export interface Description {
  readonly format: 1;
  readonly vitrine: string;
  readonly created_at: string;
  /** Where its settings were read from; null where they lay in the data folder, or where it has none. */
  readonly settings_from: string | null;
  /** What its database may be. Two only in a folder while the second takes the place of the first. */
  readonly database_sha256: readonly string[];
  /** Bytes that it added at its place; scheduled backups only, which share their content. */
  readonly added_bytes?: number;
}

export function formatDescription(description: Description): string {
  return `${JSON.stringify(description)}\n`;
}

/** What restoring needs to know. */
type Known = Pick<Description, "settings_from" | "database_sha256">;

/** Backups that were made before they told it know no more. */
export const NO_DESCRIPTION: Known = { settings_from: null, database_sha256: [] };

export function parseDescription(text: string): Known {
  return { ...NO_DESCRIPTION, ...(JSON.parse(text) as Partial<Known>) };
}
