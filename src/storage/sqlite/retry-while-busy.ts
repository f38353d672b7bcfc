import { isBusy } from "./failures.ts";

/** Milliseconds between two attempts. */
const BETWEEN_ATTEMPTS = 1;

/**
 * Attempts a change until no other connection is in the way, and the thread does something else meanwhile. Throws what
 * the attempt throws; that somebody is in the way only after `patience` milliseconds. SQLite must not wait by itself.
 */
export async function retryWhileBusy<T>(patience: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await Bun.sleep(BETWEEN_ATTEMPTS);
  }
}
