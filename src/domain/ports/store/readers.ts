import type { Identity } from "../../model/user.ts";

/** A user who may read a private site. */
export interface Reader {
  readonly id: number;
  readonly userId: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
}

/** A private site as its readers see it. */
export interface SharedSite {
  readonly name: string;
  /** The owner's login. */
  readonly owner: string;
  readonly frozen: boolean;
}

export interface ReaderStore {
  /** Returns a site's readers by login. */
  list(siteId: number): Promise<readonly Reader[]>;

  /**
   * Adds the user of an identity as a reader, and the user itself if unknown. An existing reader stays the same.
   * Returns without changes `not_private` if the site is public, and `too_many_invited` if the identity is an
   * invitation (`INVITATION_PREFIX`) and the site has `MAX_INVITED_READERS` of them. The checks and the change are one
   * transaction. Throws `not_found` if the site or a built-in account was deleted meanwhile.
   */
  add(siteId: number, identity: Identity, at: number): Promise<Reader | "not_private" | "too_many_invited">;

  /**
   * Deletes a reader, whose next request is refused. Returns `missing` if the site has no such reader. Throws
   * `not_found` if the site was deleted meanwhile.
   */
  delete(siteId: number, readerId: number): Promise<"deleted" | "not_private" | "missing">;

  /** Returns the private sites of which the user is a reader, by name, at most `limit` of them. */
  sitesOf(userId: number, limit: number): Promise<readonly SharedSite[]>;

  /** Returns whether a user may open the private site: as its owner, a member or a reader. */
  mayRead(siteId: number, userId: number): Promise<boolean>;
}
