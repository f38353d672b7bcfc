/** A content within an object of the object store. */
export interface PlacedContent {
  readonly digest: string;
  /** In bytes, as `offset`. */
  readonly size: number;
  readonly offset: number;
}

/** Where a content lies. */
export interface ContentLocation extends PlacedContent {
  readonly object: string;
  /** Bytes of the whole object. */
  readonly objectSize: number;
  /** When it was written last, in milliseconds since the epoch. */
  readonly writtenAt: number;
}

/** An object that is stored whole. */
export interface FilledObject {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly contents: readonly PlacedContent[];
}

/** The bucket that keeps the content of this store. */
export interface ContentBucket {
  /** What the owner's mark in the bucket says: a random name of this store. */
  readonly owner: string;
  /** Without keys; null while content lies in the data folder. */
  readonly address: string | null;
}

/**
 * Which objects of the object store are this store's, and which content lies in them. An object is noted before it is
 * sent, and forgotten after it was deleted, so that nothing has to be found by listing a bucket. Times are in
 * milliseconds since the epoch.
 */
export interface ContentObjectStore {
  /** Notes that an object of this name will be sent. The name is new, and never used again. Durable once it resolves. */
  intend(name: string, at: number): Promise<void>;

  /**
   * Says what lies in an object that is stored by now, as one change, durable once it resolves. New content is the
   * writer's to undo. Content that lay elsewhere lies here from then on, and is nobody's to undo. Returns false, with
   * nothing changed, if the object was condemned meanwhile.
   */
  place(object: FilledObject, writer: string, at: number): Promise<boolean>;

  /** The same for content that is copied from another object: what does not lie there any more is left out. */
  move(object: FilledObject, from: string): Promise<boolean>;

  /** Returns where these contents lie; one that lies nowhere is not in it. At most 1,000 at once. */
  find(digests: readonly string[]): Promise<ReadonlyMap<string, ContentLocation>>;

  /** Returns what lies in an object, by offset; nothing of an unknown one. */
  contentsOf(object: string): Promise<readonly PlacedContent[]>;

  /** Yields all content that lies somewhere, by digest. */
  list(): AsyncIterable<ContentLocation>;

  /**
   * Forgets where a content lies, unless it was written at or after `writtenBefore`. Returns whether it lies nowhere.
   */
  remove(digest: string, writtenBefore: number): Promise<boolean>;

  /** Forgets where the content lies that this writer placed first and nobody placed again. */
  undo(writer: string): Promise<void>;

  /** Yields the stored objects that are not condemned, with the bytes of them that are content. */
  usage(): AsyncIterable<{ readonly name: string; readonly size: number; readonly used: number }>;

  /**
   * Condemns the objects that nothing lies in: stored ones, and those that were noted before `intendedBefore` and never
   * stored. Nothing is placed in them any more. Returns how many.
   */
  condemnEmpty(intendedBefore: number, at: number): Promise<number>;

  /** Returns up to `limit` objects that were condemned before `before`. */
  listCondemned(before: number, limit: number): Promise<readonly string[]>;

  /** Forgets condemned objects, to be called once they are deleted. */
  forget(names: readonly string[]): Promise<void>;

  /** Returns the bucket, or null before there was one. */
  bucket(): Promise<ContentBucket | null>;

  setBucket(bucket: ContentBucket): Promise<void>;

  /** Forgets all objects, and what lies in them. */
  forgetAll(): Promise<void>;
}
