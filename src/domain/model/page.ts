/** A page of a history, newest first. */
export interface Page {
  readonly limit: number;
  /** The number or id at which the page before ended; null for the first page. */
  readonly before: number | null;
}
