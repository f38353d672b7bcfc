/** What a backup says of itself, in JSON, for people. */
export interface Description {
  readonly format: 1;
  readonly vitrine: string;
  readonly created_at: string;
}

export function formatDescription(description: Description): string {
  return `${JSON.stringify(description)}\n`;
}
