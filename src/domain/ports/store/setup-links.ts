/** The one-time link that creates the first account in the browser. There is at most one at a time. */
export interface SetupLinkStore {
  /** Replaces the link by a new one, of which the SHA-256 is stored. */
  replace(codeHash: string, expiresAt: number): Promise<void>;
  isOpen(codeHash: string, now: number): Promise<boolean>;
}
