/** A person who may read a private site. */
export interface Reader {
  readonly id: number;
  readonly userId: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
}

export interface ReaderStore {
  /** A site's readers by login. */
  list(siteId: number): Promise<readonly Reader[]>;

  /**
   * Lets a person in; one who already is a reader stays the same reader. `not_private`, and nothing changed, while the
   * site is public; the look and the change are one step. Throws `not_found` where the site or the person has been
   * deleted meanwhile.
   */
  add(siteId: number, userId: number, at: number): Promise<Reader | "not_private">;

  /**
   * Removes a reader: their next request is refused. `missing` when the site has no such reader. Throws `not_found` where
   * the site has been deleted meanwhile.
   */
  remove(siteId: number, readerId: number): Promise<"removed" | "not_private" | "missing">;

  /** Whether the person owns the site or is one of its readers. */
  mayRead(siteId: number, userId: number): Promise<boolean>;

  /** Whether the person is a reader of any site: such people may sign in where sign-up is closed. */
  readsAnything(userId: number): Promise<boolean>;
}
