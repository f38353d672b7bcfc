import type { DatabaseUrl } from "../../domain/database-url.ts";
import { DeadlineMissed, withDeadline } from "./deadline.ts";
import { databaseAway, driverError, isConnectionLost, isNotWritable } from "./failures.ts";
import { closePool, openPool, type Pool } from "./pool.ts";
import { newSubscription, type Subscription } from "./subscription.ts";

/**
 * Queries for the pool. Long work calls `extend` whenever it makes progress, so that only a server that does not respond
 * misses the deadline.
 */
export type PoolWork<T> = (pool: Pool, extend: () => void) => Promise<T>;

interface CurrentPoolOptions {
  readonly max: number;
  readonly deadline: number;
  readonly application?: string;
}

interface Entered {
  readonly pool: Promise<Pool>;
  readonly opened: Pool;
}

/** The pool of a connection. It is opened on demand, and again after the server was unreachable. */
export class CurrentPool {
  readonly #url: DatabaseUrl;
  readonly #options: CurrentPoolOptions;
  #current: Promise<Pool> | null = null;
  #isClosed = false;
  readonly #hung = new WeakSet<Promise<Pool>>();
  readonly #subscriptions = new Set<Subscription>();

  constructor(url: DatabaseUrl, options: CurrentPoolOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Runs queries. Throws the driver's errors, and DeadlineMissed. */
  async use<T>(work: PoolWork<T>): Promise<T> {
    if (this.#isClosed) throw databaseAway(new Error("the connection is closed"));
    const { pool, opened } = await this.#enter();
    const { deadline } = this.#options;
    try {
      return await withDeadline(
        (extend) => work(opened, extend),
        deadline,
        () => this.#giveUp(pool),
      );
    } catch (thrown) {
      // Other users of the pool waited for the same server; they must not wait for it again.
      const error = this.#hung.has(pool) ? new DeadlineMissed(deadline) : driverError(thrown);
      // Another host may accept changes by now. Running queries on this one may finish.
      if (isConnectionLost(error) || isNotWritable(error)) this.#leave(pool, deadline / 1000);
      throw error;
    }
  }

  /** See `Connection.listen`. */
  listen(channel: string, listener: (payload: string | null) => void): () => void {
    const subscription = newSubscription(channel, listener);
    this.#subscriptions.add(subscription);
    this.#current?.then(subscription.start).catch(() => {});
    return () => {
      this.#subscriptions.delete(subscription);
      subscription.stop();
    };
  }

  /** Aborts running queries, as if their deadline had passed. The next one opens a new pool. */
  abandon(): void {
    if (this.#current) this.#giveUp(this.#current);
  }

  /** Aborts running queries. Nothing is opened afterwards, so that the process can end. */
  close(): void {
    this.#isClosed = true;
    if (this.#current) this.#leave(this.#current, 0);
  }

  async #enter(): Promise<Entered> {
    const joined = this.#current;
    if (joined !== null) {
      try {
        return await this.#enterOne(joined);
      } catch (error) {
        // That opening began before this call, and the server may have become reachable meanwhile.
        if (this.#isClosed || this.#hung.has(joined)) throw error;
      }
    }
    this.#current ??= this.#open();
    return this.#enterOne(this.#current);
  }

  async #enterOne(pool: Promise<Pool>): Promise<Entered> {
    try {
      return { pool, opened: await pool };
    } catch (error) {
      this.#leave(pool, 0);
      throw error;
    }
  }

  async #open(): Promise<Pool> {
    const pool = await openPool(this.#url, this.#options);
    for (const subscription of this.#subscriptions) subscription.start(pool);
    return pool;
  }

  #giveUp(pool: Promise<Pool>): void {
    this.#hung.add(pool);
    this.#leave(pool, 0);
  }

  #leave(pool: Promise<Pool>, secondsToFinish: number): void {
    if (this.#current === pool) this.#current = null;
    pool.then((opened) => closePool(opened.sql, secondsToFinish)).catch(() => {});
  }
}
