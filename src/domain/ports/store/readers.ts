import type { Identity } from "../identity.ts";

/** A person who may read a private site. */
export interface Reader {
  readonly id: number;
  readonly userId: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
}

/** A private site as one of its readers sees it. */
export interface SharedSite {
  readonly name: string;
  /** The owner's login. */
  readonly owner: string;
  readonly frozen: boolean;
}

export interface ReaderStore {
  /** A site's readers by login. */
  list(siteId: number): Promise<readonly Reader[]>;

  /**
   * Lets the person of an identity in, who is written down with it if they are unknown; one who already is a reader stays
   * the same reader. Nothing is changed with `not_private`, while the site is public, and with `too_many_invited`, when
   * the identity is an invitation (`INVITATION_PREFIX`) and `MAX_INVITED_READERS` of the site are. The looks and the
   * change are one step. Throws `not_found` where the site or a built-in account has been deleted meanwhile.
   */
  add(siteId: number, identity: Identity, at: number): Promise<Reader | "not_private" | "too_many_invited">;

  /**
   * Removes a reader: their next request is refused. `missing` when the site has no such reader. Throws `not_found` where
   * the site has been deleted meanwhile.
   */
  remove(siteId: number, readerId: number): Promise<"removed" | "not_private" | "missing">;

  /** The private sites that the person is a reader of, by name, the first `limit` of them. */
  sitesOf(userId: number, limit: number): Promise<readonly SharedSite[]>;

  /** Whether the person owns the site or is one of its readers. */
  mayRead(siteId: number, userId: number): Promise<boolean>;
}
