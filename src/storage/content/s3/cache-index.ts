import { Database } from "bun:sqlite";
import type { PlacedContent } from "../../../domain/ports/store/content-objects.ts";

/** Cached content, within the file of its object. */
export interface CachedContent extends PlacedContent {
  readonly object: string;
  /** When the object was last used, in milliseconds since the epoch; accurate to a minute. */
  readonly usedAt: number;
}

interface CachedObject {
  readonly name: string;
  readonly size: number;
}

/** The time that SQLite waits for another thread's change, which takes a few milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (name TEXT PRIMARY KEY, size INTEGER NOT NULL, used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS objects_by_use ON objects (used_at);
  CREATE TABLE IF NOT EXISTS contents (
    digest TEXT PRIMARY KEY, object TEXT NOT NULL, size INTEGER NOT NULL, offset INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS contents_by_object ON contents (object);
  CREATE TABLE IF NOT EXISTS claims (object TEXT PRIMARY KEY, ends_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * The index of the disk cache, which all threads and processes of the node share: a small database beside the cached
 * files. Losing the index only loses the cache, so it is never synced.
 */
export class CacheIndex {
  readonly #db: Database;
  readonly #find;
  readonly #use;
  readonly #claim;
  readonly #isClaimed;

  constructor(file: string) {
    this.#db = new Database(file, { create: true, strict: true });
    this.#db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.#db.run("PRAGMA journal_mode = WAL");
    this.#db.run("PRAGMA synchronous = OFF");
    this.#db.run(SCHEMA);
    this.#find = this.#db.prepare<CachedContent, [string]>(
      `SELECT digest, contents.size AS size, offset, object, used_at AS usedAt
       FROM contents JOIN objects ON name = object WHERE digest = ?`,
    );
    this.#use = this.#db.prepare<void, [number, string]>("UPDATE objects SET used_at = ? WHERE name = ?");
    this.#claim = this.#db.prepare<{ object: string }, [string, number, number]>(
      `INSERT INTO claims (object, ends_at) VALUES (?, ?)
       ON CONFLICT (object) DO UPDATE SET ends_at = excluded.ends_at WHERE ends_at <= ? RETURNING object`,
    );
    this.#isClaimed = this.#db.prepare<unknown, [string, number]>(
      "SELECT 1 FROM claims WHERE object = ? AND ends_at > ?",
    );
  }

  find(digest: string): CachedContent | null {
    return this.#find.get(digest);
  }

  use(object: string, at: number): void {
    this.#use.run(at, object);
  }

  /** Adds an object whose file is in its place. */
  add({ name, size }: CachedObject, contents: readonly PlacedContent[], at: number): void {
    const rows = JSON.stringify(contents.map((content) => [content.digest, content.size, content.offset]));
    this.#db.transaction(() => {
      this.#db.query("INSERT OR REPLACE INTO objects (name, size, used_at) VALUES (?, ?, ?)").run(name, size, at);
      this.#db
        .query(
          `INSERT OR REPLACE INTO contents (digest, object, size, offset)
           SELECT value ->> 0, ?, value ->> 1, value ->> 2 FROM json_each(?)`,
        )
        .run(name, rows);
    })();
  }

  remove(object: string): void {
    this.#db.transaction(() => {
      this.#db.query("DELETE FROM contents WHERE object = ?").run(object);
      this.#db.query("DELETE FROM objects WHERE name = ?").run(object);
    })();
  }

  /** Returns the bytes of all objects. */
  total(): number {
    return (
      this.#db.query<{ total: number }, []>("SELECT coalesce(sum(size), 0) AS total FROM objects").get()?.total ?? 0
    );
  }

  /** Returns the least recently used objects. */
  oldest(limit: number): readonly CachedObject[] {
    return this.#db
      .query<CachedObject, [number]>("SELECT name, size FROM objects ORDER BY used_at, name LIMIT ?")
      .all(limit);
  }

  /** Returns all objects. */
  all(): readonly CachedObject[] {
    return this.#db.query<CachedObject, []>("SELECT name, size FROM objects").all();
  }

  /** Claims an object to be fetched by one thread; false if another one is fetching it until a later time. */
  claim(object: string, now: number, until: number): boolean {
    return this.#claim.get(object, until, now) !== null;
  }

  /** Returns whether a thread is fetching an object. Unlike `claim`, it writes nothing. */
  isClaimed(object: string, now: number): boolean {
    return this.#isClaimed.get(object, now) !== null;
  }

  prolong(object: string, until: number): void {
    this.#db.query("UPDATE claims SET ends_at = ? WHERE object = ?").run(until, object);
  }

  release(object: string): void {
    this.#db.query("DELETE FROM claims WHERE object = ?").run(object);
  }

  /** Releases all claims, which were left by threads of an earlier process. Called before any thread starts. */
  releaseAll(): void {
    this.#db.run("DELETE FROM claims");
  }

  close(): void {
    this.#db.close(false);
  }
}
