import { isBusy } from "./failures.ts";

/** Milliseconds between two attempts. */
const RETRY_INTERVAL_MS = 1;

/**
 * Retries a change while other connections block it; the thread does other work meanwhile. Throws the errors of the
 * attempt, and the busy error only after `patience` milliseconds. SQLite's own busy timeout must be zero.
 */
export async function retryWhileBusy<T>(patience: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await Bun.sleep(RETRY_INTERVAL_MS);
  }
}
