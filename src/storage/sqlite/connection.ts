import { Database } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { DomainError } from "../../domain/errors.ts";
import type { NewLiveEvent } from "../../domain/model/live-event.ts";
import { sqliteFailure } from "./failures.ts";
import { addLiveEvents } from "./live-events.ts";
import { releaseReserveFile } from "./reserve-file.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { routingLogWriter } from "./routing-log.ts";
import * as schema from "./schema.ts";

export type Drizzle = BunSQLiteDatabase<typeof schema>;

/** A connection of one thread. `drizzle` builds queries; `raw` is for pragmas and for the fastest statements. */
export interface Connection {
  readonly raw: Database;
  readonly db: Drizzle;

  /**
   * Runs a change as one IMMEDIATE transaction and returns its value. While another connection writes, it is retried,
   * and the thread does other work meanwhile: a deployment of 50,000 files writes for half a second. `change` is
   * synchronous. With an `await` in it, another request's statements would become part of the transaction and be lost
   * with its rollback.
   */
  write<T>(change: (tx: Drizzle) => T): Promise<T>;

  /**
   * Like `write`, for a change that may be lost in a power cut, such as the holder of a lease, because it does not wait
   * for the disk. A crash of the process loses nothing, and any later `write` makes it durable.
   */
  writeRelaxed<T>(change: (tx: Drizzle) => T): Promise<T>;

  /** Like `write`, for a change of what visitors get. Every thread's `generation()` is new when this returns. */
  writeRouting<T>(change: RoutingChange<T>): Promise<T>;

  /** Like `writeRouting`, for a change that frees space. On a full disk the reserve file is deleted for it. */
  writeFreeing<T>(change: RoutingChange<T>): Promise<T>;

  /** Adds events for event streams. Call it in the transaction of the change. */
  announce(events: readonly NewLiveEvent[]): void;
}

/**
 * A change that names the affected sites: `affects` adds sites by id, or without arguments says that no visitor is
 * affected. If it is not called, all sites are affected.
 */
type RoutingChange<T> = (tx: Drizzle, affects: (...siteIds: readonly number[]) => void) => T;

/** Milliseconds that a writer waits for others before it fails with `unavailable`. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens the database file for one thread. In WAL mode readers and the writer do not block each other. With
 * synchronous=FULL a committed transaction survives a power cut (NORMAL lost all of 500 in measurements).
 */
export function connect(file: string, onRoutingChange: (generation: number) => void): Connection {
  const raw = openDatabase(file);
  const db = drizzle(raw, { schema });
  const log = routingLogWriter(raw);
  const bump = raw.prepare<{ value: number }, []>(
    "UPDATE meta SET value = value + 1 WHERE key = 'generation' RETURNING value",
  );

  const attempt = <T>(change: (tx: Drizzle) => T): T => {
    // A wait inside SQLite blocks the whole thread. Readers wait only for a recovery after a crash, which is short.
    raw.run("PRAGMA busy_timeout = 0");
    try {
      return db.transaction((tx) => change(tx as unknown as Drizzle), { behavior: "immediate" });
    } finally {
      raw.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  };
  const writing = async <T>(attempted: () => T): Promise<T> => {
    try {
      return await retryWhileBusy(BUSY_TIMEOUT_MS, attempted);
    } catch (error) {
      throw sqliteFailure(error);
    }
  };
  const write = <T>(change: (tx: Drizzle) => T): Promise<T> => writing(() => attempt(change));
  const writeRouting = async <T>(change: RoutingChange<T>): Promise<T> => {
    const { generation, result } = await write((tx) => {
      const generation = bump.get()?.value ?? 0;
      let affected: Set<number> | null = null;
      const result = change(tx, (...siteIds) => {
        affected = new Set([...(affected ?? []), ...siteIds]);
      });
      log(generation, affected);
      return { generation, result };
    });
    onRoutingChange(generation);
    return result;
  };
  const writeRelaxed = <T>(change: (tx: Drizzle) => T): Promise<T> =>
    writing(() => {
      // In WAL mode NORMAL only omits the sync of each commit, and the file stays consistent.
      raw.run("PRAGMA synchronous = NORMAL");
      try {
        return attempt(change);
      } finally {
        raw.run("PRAGMA synchronous = FULL");
      }
    });
  const writeFreeing = async <T>(change: RoutingChange<T>): Promise<T> => {
    try {
      return await writeRouting(change);
    } catch (error) {
      const full = error instanceof DomainError && error.kind === "disk_full";
      if (!full || !releaseReserveFile(file)) throw error;
      return writeRouting(change);
    }
  };
  const announce = (events: readonly NewLiveEvent[]) => addLiveEvents(raw, events);
  return { raw, db, write, writeRelaxed, writeRouting, writeFreeing, announce };
}

// --- internal ---

function openDatabase(file: string): Database {
  const raw = new Database(file, { create: true, strict: true });
  raw.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  raw.run("PRAGMA journal_mode = WAL");
  raw.run("PRAGMA synchronous = FULL");
  raw.run("PRAGMA foreign_keys = ON");
  raw.run("PRAGMA trusted_schema = OFF");
  return raw;
}
