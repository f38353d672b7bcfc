import type { Database } from "bun:sqlite";
import type { Drizzle } from "../store/connection.ts";
import { closeConnection, drizzleOnSqlite } from "./dialect.ts";
import { sqliteFailure } from "./failures.ts";
import { openDatabase } from "./open-database.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { inTurn } from "./write-turns.ts";

/** Milliseconds for which a change waits before it fails with `unavailable`, from when it was asked for. */
const PATIENCE_MS = 10_000;

/** Milliseconds for which it waits at least for other processes, however long it waited for other changes before. */
const LEAST_PATIENCE_MS = 1000;

/** A change, with the connection that it uses, for statements beside the query builder. */
type RawChange<T> = (tx: Drizzle, raw: Database) => Promise<T>;

/** Runs the changes of one thread on a connection of their own, one after the other. */
export interface Writer {
  /** Runs a change as one transaction. A relaxed one does not wait for the disk. */
  write<T>(change: RawChange<T>, durability?: "durable" | "relaxed"): Promise<T>;
  close(): void;
}

/**
 * A change that awaited something else than its queries, which other threads and other changes of this thread would wait
 * for. It was rolled back.
 */
class ChangeNotPrompt extends Error {
  constructor() {
    super("a change awaits something other than its queries");
  }
}

/**
 * Opens the writer of a thread; its connection is opened by the first change. Readers use another connection, so they
 * never see an open change. Drizzle's own transactions on SQLite would not wait for promises.
 */
export function openWriter(file: string, cell: Int32Array): Writer {
  let opened: Opened | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const close = () => {
    if (opened) closeConnection(opened.raw);
    opened = null;
  };
  const run = async <T>(asked: AskedChange<T>): Promise<T> => {
    const { tooLate } = asked;
    try {
      opened ??= open(file);
      return await (asked.isRelaxed ? runRelaxed(opened, asked) : runChange(opened, asked));
    } catch (error) {
      // What is left of the change must not become part of another, and an open transaction would block all others.
      if (error === tooLate || opened?.raw.inTransaction) close();
      throw sqliteFailure(error);
    }
  };
  return {
    write(change, durability = "durable") {
      const asked = {
        change,
        isRelaxed: durability === "relaxed",
        deadline: performance.now() + PATIENCE_MS,
        // Made here, so that its stack names the change.
        tooLate: new ChangeNotPrompt(),
      };
      const result = last.then(() => inTurn(cell, () => run(asked)));
      last = result.catch(() => {});
      return result;
    },
    close,
  };
}

// --- internal ---

/** A change that was asked for. */
interface AskedChange<T> {
  readonly change: RawChange<T>;
  readonly isRelaxed: boolean;
  /** By the clock of `performance.now`. */
  readonly deadline: number;
  /** The error if it awaits something other than its queries. */
  readonly tooLate: ChangeNotPrompt;
}

interface Opened {
  readonly raw: Database;
  readonly tx: Drizzle;
}

function open(file: string): Opened {
  const raw = openDatabase(file);
  // A wait inside SQLite would block the whole thread.
  raw.run("PRAGMA busy_timeout = 0");
  return { raw, tx: drizzleOnSqlite(raw) };
}

async function runRelaxed<T>(opened: Opened, asked: AskedChange<T>): Promise<T> {
  // In WAL mode NORMAL only omits the sync of each commit, and the file stays consistent.
  opened.raw.run("PRAGMA synchronous = NORMAL");
  try {
    return await runChange(opened, asked);
  } finally {
    if (!opened.raw.inTransaction) opened.raw.run("PRAGMA synchronous = FULL");
  }
}

async function runChange<T>({ raw, tx }: Opened, { change, deadline, tooLate }: AskedChange<T>): Promise<T> {
  const patience = Math.max(deadline - performance.now(), LEAST_PATIENCE_MS);
  await retryWhileBusy(patience, () => raw.run("BEGIN IMMEDIATE"));
  const late = Promise.withResolvers<never>();
  // Queries settle before the thread returns to its event loop.
  const turn = setImmediate(() => late.reject(tooLate));
  try {
    const result = await Promise.race([change(tx, raw), late.promise]);
    raw.run("COMMIT");
    return result;
  } catch (error) {
    rollBack(raw);
    throw error;
  } finally {
    clearImmediate(turn);
  }
}

/** The error of the change matters more than one of its rollback, after which the connection is closed. */
function rollBack(raw: Database): void {
  try {
    if (raw.inTransaction) raw.run("ROLLBACK");
  } catch {}
}
