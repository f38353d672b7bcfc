import type { NewShare, Share, SharedHost, ShareKind } from "../../model/share.ts";

/** A visit that was opened with a share. */
export interface NewShareVisit {
  readonly shareId: string;
  /** SHA-256 of the cookie's token. */
  readonly tokenHash: string;
  readonly host: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Shares and their visits. An expired share is listed, and otherwise treated as missing. */
export interface ShareStore {
  /** Returns false if the site has `most` unexpired ones. Throws `not_found` if the site was deleted. */
  add(share: NewShare, most: number): Promise<boolean>;
  /** Newest first. */
  listOfSite(siteId: number): Promise<readonly Share[]>;
  /** Deletes a share and ends its visits; false if the site has none with this id. */
  delete(siteId: number, id: string): Promise<boolean>;
  /** Returns the share with a secret if it has that kind and opens the host; otherwise null. One indexed read. */
  findBySecret(secretHash: string, kind: ShareKind, at: SharedHost, now: number): Promise<Share | null>;
  /** Returns the password shares that open the host, newest first. */
  listPasswords(
    at: SharedHost,
    now: number,
  ): Promise<readonly { readonly id: string; readonly passwordHash: string }[]>;
  /**
   * Opens a visit and counts a use. Above `most` visits, the oldest one ends. Returns false if the share was removed.
   */
  enter(visit: NewShareVisit, most: number): Promise<boolean>;
  /**
   * Returns whether a visit is valid for this exact host and its share still exists. One indexed read that must not be
   * cached, so that a removed share has no effect from the next request on.
   */
  admits(tokenHash: string, at: SharedHost, now: number): Promise<boolean>;
  /** Counts a use. */
  touch(id: string, at: number): Promise<void>;
  /** Deletes visits that ended by `now`, and shares that had expired by `expiredBefore`. Returns their number. */
  deleteExpired(now: number, expiredBefore: number): Promise<number>;
}
