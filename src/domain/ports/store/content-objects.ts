/** A content within an object of the object store. */
export interface PlacedContent {
  readonly digest: string;
  /** In bytes, as `offset`. */
  readonly size: number;
  readonly offset: number;
}

/** Where a content is. */
export interface ContentPlace extends PlacedContent {
  readonly object: string;
  /** Size of the whole object in bytes. */
  readonly objectSize: number;
}

/** The location of a content. */
export interface ContentLocation extends ContentPlace {
  /** Time of the last write, in milliseconds since the epoch. */
  readonly writtenAt: number;
}

/**
 * Finds content for visits. A node knows the content of all deployments without asking the database. An object is kept
 * for a day after its content was moved elsewhere, so a place may be that old, unless something in it was purged.
 */
export interface ContentPlaces {
  /** Returns where a content is; null if it is nowhere. */
  locate(digest: string): Promise<ContentPlace | null>;

  /** Returns content of an object, by offset. Content that no deployment needs may be missing. */
  contentsOf(object: string): Promise<readonly PlacedContent[]>;
}

/** An object that is stored whole. */
export interface FilledObject {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly contents: readonly PlacedContent[];
}

/** The bucket that holds the content of this store. */
export interface ContentBucket {
  /** The owner's name in the mark of the bucket: a random name of this store. */
  readonly owner: string;
  /** The URL of the bucket, without keys; null while the content is in the data folder. */
  readonly url: string | null;
}

/**
 * Records which objects of the object store belong to this store, and which content they contain. An object is recorded
 * before it is sent and removed after it was deleted, so that the bucket never has to be listed. Times are in
 * milliseconds since the epoch.
 */
export interface ContentObjectStore {
  /**
   * Records that an object of this name will be sent. The name must be new and is never used again. Durable once it
   * resolves.
   */
  intend(name: string, at: number): Promise<void>;

  /**
   * Records the content of an object that is stored, as one change, durable once it resolves. The writer can undo new
   * content. Content that was in another object is moved to this one, and nobody can undo that. Returns false, with
   * nothing changed, if the object was condemned meanwhile.
   */
  place(object: FilledObject, writer: string, at: number): Promise<boolean>;

  /**
   * Like `place`, for content that is copied from another object: content that is no longer in that object is left out.
   */
  move(object: FilledObject, from: string): Promise<boolean>;

  /** Returns the locations of these contents, without those that have none. At most 1,000 at once. */
  find(digests: readonly string[]): Promise<ReadonlyMap<string, ContentLocation>>;

  /** Returns the content of an object, by offset; an empty list for an unknown object. */
  contentsOf(object: string): Promise<readonly PlacedContent[]>;

  /** Yields all content that has a location, by digest. */
  list(): AsyncIterable<ContentLocation>;

  /**
   * Deletes the location of a content, unless it was written at or after `writtenBefore`. Returns whether the content
   * has no location now.
   */
  delete(digest: string, writtenBefore: number): Promise<boolean>;

  /** Removes the locations of content that this writer placed first and nobody placed again. */
  undo(writer: string): Promise<void>;

  /** Yields the stored objects that are not condemned, with the number of their bytes that are content. */
  usage(): AsyncIterable<{ readonly name: string; readonly size: number; readonly used: number }>;

  /**
   * Condemns the objects without content: stored ones, and those that were recorded before `intendedBefore` and never
   * stored. No content is placed in them any more. Returns their number.
   */
  condemnEmpty(intendedBefore: number, at: number): Promise<number>;

  /** Returns up to `limit` objects that were condemned before `before`. */
  listCondemned(before: number, limit: number): Promise<readonly string[]>;

  /** Returns those of these objects that are recorded. At most 1,000 at once. */
  recorded(names: readonly string[]): Promise<ReadonlySet<string>>;

  /** Deletes condemned objects from the records. Call it after they were deleted. */
  deleteObjects(names: readonly string[]): Promise<void>;

  /** Returns the bucket, or null before there was one. */
  bucket(): Promise<ContentBucket | null>;

  setBucket(bucket: ContentBucket): Promise<void>;

  /**
   * Returns the owner's name. If there is none, records this one, without a URL. Of several nodes that do so at
   * once, all get the same name.
   */
  nameOwner(name: string): Promise<string>;

  /** Deletes the records of all objects and their content. */
  deleteAll(): Promise<void>;
}
