/** What a backup says of itself, in JSON, for people as for whoever restores it. */
export interface Description {
  readonly format: 1;
  readonly vitrine: string;
  readonly created_at: string;
  /** What its database may be. Two only in a folder while the second takes the place of the first. */
  readonly database_sha256: readonly string[];
}

export function formatDescription(description: Description): string {
  return `${JSON.stringify(description)}\n`;
}

/** Returns what the database may be; empty in backups that were made before they told. */
export function databaseDigests(text: string): readonly string[] {
  return (JSON.parse(text) as Partial<Description>).database_sha256 ?? [];
}
