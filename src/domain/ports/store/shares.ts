import type { NewShare, Share, SharedHost, ShareKind } from "../../shares/share.ts";

/** What a share's own cookie stands for. */
export interface NewShareVisit {
  readonly shareId: string;
  /** SHA-256 of the cookie's token. */
  readonly tokenHash: string;
  readonly host: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Shares, and the visits of those who came with one. An expired share is listed and otherwise counts as none. */
export interface ShareStore {
  /** Returns false where the site has `most` that have not expired. Throws `not_found` where the site was deleted. */
  add(share: NewShare, most: number): Promise<boolean>;
  /** Newest first. */
  listOfSite(siteId: number): Promise<readonly Share[]>;
  /** Removes a share and ends its visits; false where the site has none of this id. */
  remove(siteId: number, id: string): Promise<boolean>;
  /** Returns the share of a secret, where it is of that kind and reaches the host; else null. One indexed read. */
  findBySecret(secretHash: string, kind: ShareKind, at: SharedHost, now: number): Promise<Share | null>;
  /** Returns the passwords that reach the host, newest first. */
  listPasswords(
    at: SharedHost,
    now: number,
  ): Promise<readonly { readonly id: string; readonly passwordHash: string }[]>;
  /** Opens a visit and counts a use; over `most` visits, the oldest one ends. False where the share is gone. */
  enter(visit: NewShareVisit, most: number): Promise<boolean>;
  /**
   * Whether a visit is open for this very host and its share still holds. One indexed read, and never a remembered
   * answer: a share that was removed lets nobody in with the next request.
   */
  admits(tokenHash: string, at: SharedHost, now: number): Promise<boolean>;
  /** Counts a use. */
  touch(id: string, at: number): Promise<void>;
  /** Removes visits that are over by `now`, and shares that had expired by `expiredBefore`; returns how many. */
  removeExpired(now: number, expiredBefore: number): Promise<number>;
}
