import { Database } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { DomainError } from "../../domain/errors.ts";
import type { NewLiveEvent } from "../../domain/events/live-event.ts";
import { giveUpBallast } from "./ballast.ts";
import { sqliteFailure } from "./failures.ts";
import { addLiveEvents } from "./live-events.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { routingLogWriter } from "./routing-log.ts";
import * as schema from "./schema.ts";

export type Drizzle = BunSQLiteDatabase<typeof schema>;

/** A connection of one thread. `drizzle` builds queries; `raw` is for pragmas and for what must cost nothing. */
export interface Connection {
  readonly raw: Database;
  readonly db: Drizzle;

  /**
   * Runs a change as one IMMEDIATE transaction and returns its value. While another connection writes it is tried again
   * and again, and the thread does something else meanwhile: a deployment of 50,000 files writes for half a second.
   * `change` is synchronous: with an `await` in it, another request's statements would fall into the same transaction
   * and vanish with its rollback.
   */
  write<T>(change: (tx: Drizzle) => T): Promise<T>;

  /**
   * The same for a change that a power cut may undo, such as who has a lease: it does not wait for the disk. A crash of
   * the process undoes nothing, and any later `write` makes it durable along with its own.
   */
  writeRelaxed<T>(change: (tx: Drizzle) => T): Promise<T>;

  /** The same for a change that alters what a visitor gets: every thread's `generation()` is new when this returns. */
  writeRouting<T>(change: RoutingChange<T>): Promise<T>;

  /** The same for a change that frees space: on a full disk the ballast is given up for it. */
  writeFreeing<T>(change: RoutingChange<T>): Promise<T>;

  /** Tells event streams of a change, in whose transaction this is called. */
  announce(events: readonly NewLiveEvent[]): void;
}

/**
 * A change that says whose visitors it affects: `affects` adds sites by id, or says with none of them that no visitor is
 * concerned. Until it is called, everybody may be.
 */
type RoutingChange<T> = (tx: Drizzle, affects: (...siteIds: readonly number[]) => void) => T;

/** Milliseconds that a writer waits for others before it is told `unavailable`. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens the database file for one thread. WAL keeps readers and the writer out of each other's way; with
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
    // Waiting in SQLite stops the whole thread. Readers wait only for a recovery after a crash, which is short.
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
      // In WAL mode NORMAL leaves out the sync of each commit and nothing else; the file stays whole.
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
      if (!full || !giveUpBallast(file)) throw error;
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
