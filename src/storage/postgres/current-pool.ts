import type { DatabaseUrl } from "../../domain/database-url.ts";
import { DeadlineMissed, withDeadline } from "./deadline.ts";
import { databaseAway, driverError, isConnectionLost, isNotWritable } from "./failures.ts";
import { closePool, openPool, type Pool } from "./pool.ts";
import { newSubscription, type Subscription } from "./subscription.ts";

/**
 * Queries for the pool. Work that takes long calls `extend` when it gets on, so that only a server that does not answer
 * misses the deadline.
 */
export type PoolWork<T> = (pool: Pool, extend: () => void) => Promise<T>;

/** The pool of a connection, which is opened on demand, and anew if the server became unreachable. */
export interface CurrentPool {
  /** Runs queries. Throws the driver's errors, and DeadlineMissed. */
  use<T>(work: PoolWork<T>): Promise<T>;
  /** See `Connection.listen`. */
  listen(channel: string, listener: (payload: string | null) => void): () => void;
  /** Aborts running queries, as if their deadline had passed. The next one opens a new pool. */
  abandon(): void;
  /** Aborts running queries. Nothing is opened afterwards, so that the process can end. */
  close(): void;
}

interface CurrentPoolOptions {
  readonly max: number;
  readonly deadline: number;
}

export function newCurrentPool(url: DatabaseUrl, { max, deadline }: CurrentPoolOptions): CurrentPool {
  let current: Promise<Pool> | null = null;
  let isClosed = false;
  const hung = new WeakSet<Promise<Pool>>();
  const subscriptions = new Set<Subscription>();

  const open = async (): Promise<Pool> => {
    const pool = await openPool(url, { max, deadline });
    for (const subscription of subscriptions) subscription.start(pool);
    return pool;
  };
  const leave = (pool: Promise<Pool>, secondsToFinish: number): void => {
    if (current === pool) current = null;
    pool.then((opened) => closePool(opened.sql, secondsToFinish)).catch(() => {});
  };
  const giveUp = (pool: Promise<Pool>): void => {
    hung.add(pool);
    leave(pool, 0);
  };

  return {
    async use(work) {
      if (isClosed) throw databaseAway(new Error("the connection is closed"));
      current ??= open();
      const pool = current;
      const opened = await pool.catch((error) => {
        leave(pool, 0);
        throw error;
      });
      try {
        return await withDeadline(
          (extend) => work(opened, extend),
          deadline,
          () => giveUp(pool),
        );
      } catch (thrown) {
        // Other users of the pool waited for the same server; they must not wait for it again.
        const error = hung.has(pool) ? new DeadlineMissed(deadline) : driverError(thrown);
        // Another host may accept changes by now. Running queries on this one may finish.
        if (isConnectionLost(error) || isNotWritable(error)) leave(pool, deadline / 1000);
        throw error;
      }
    },

    listen(channel, listener) {
      const subscription = newSubscription(channel, listener);
      subscriptions.add(subscription);
      current?.then(subscription.start).catch(() => {});
      return () => {
        subscriptions.delete(subscription);
        subscription.stop();
      };
    },

    abandon() {
      if (current) giveUp(current);
    },

    close() {
      isClosed = true;
      if (current) leave(current, 0);
    },
  };
}
