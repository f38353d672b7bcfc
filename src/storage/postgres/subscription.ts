import type { Pool } from "./pool.ts";

/** A listener for the notifications of a channel. */
export interface Subscription {
  /** Listens on a connection of its own, which reconnects when it is lost, until the pool is closed. */
  start(pool: Pool): void;
  stop(): void;
}

/** The listener gets null whenever a notification may have been missed. */
export function newSubscription(channel: string, listener: (payload: string | null) => void): Subscription {
  let isStopped = false;
  let unlisten = () => {};
  const notify = (payload: string | null) => {
    if (!isStopped) listener(payload);
  };
  return {
    start({ sql }) {
      const missed = () => notify(null);
      sql
        .listen(channel, notify, missed)
        .then((registration) => {
          unlisten = () => void registration.unlisten().catch(() => {});
          if (isStopped) unlisten();
        })
        .catch(() => {});
    },
    stop() {
      isStopped = true;
      unlisten();
    },
  };
}
