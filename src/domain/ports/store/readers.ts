import type { Identity } from "../../model/user.ts";

/** Maximum groups among the readers of a site. */
export const MAX_READER_GROUPS = 10;

/** A user who may read a private site, or a group of the identity provider whose users may. */
export interface Reader {
  readonly id: number;
  /** Null for a group. */
  readonly userId: number | null;
  /** The login of a user, or the name of a group. */
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

/** The person or group that becomes a reader. */
export type NewReader = Identity | { readonly group: string };

export type ReaderRefusal = "not_private" | "too_many_invited" | "too_many_groups";

export interface ReaderStore {
  /** Returns a site's readers by login, and then the groups by name. */
  list(siteId: number): Promise<readonly Reader[]>;

  /**
   * Adds a group, or the user of an identity, as a reader, and the user itself if unknown. An existing reader stays the
   * same. Returns without changes `not_private` if the site is public, `too_many_invited` if the identity is an
   * invitation (`INVITATION_PREFIX`) and the site has `MAX_INVITED_READERS` of them, and `too_many_groups` above
   * `MAX_READER_GROUPS`. The checks and the change are one transaction. Throws `not_found` if the site or a built-in
   * account was deleted meanwhile.
   */
  add(siteId: number, reader: NewReader, at: number): Promise<Reader | ReaderRefusal>;

  /**
   * Deletes a reader, whose next request is refused. Returns `missing` if the site has no such reader. Throws
   * `not_found` if the site was deleted meanwhile.
   */
  delete(siteId: number, readerId: number): Promise<"deleted" | "not_private" | "missing">;

  /** Returns the private sites that the user reads and does not work on, by name, at most `limit` of them. */
  sitesOf(userId: number, limit: number, now: number): Promise<readonly SharedSite[]>;

  /** Returns whether a user may open the private site: as its owner, a member or a reader. */
  mayRead(siteId: number, userId: number, now: number): Promise<boolean>;
}
