import type { Database } from "bun:sqlite";

/**
 * Milliseconds between reads of the newest id, which take 2 µs. Polling finds the changes of all threads and processes.
 * A signal between threads would not reach changes by commands on the data folder.
 */
const LOOK_INTERVAL_MS = 40;

/** Calls the listener soon after live events were added, or all were deleted. Returns a function that ends it. */
export function watchNewestEvent(raw: Database, listener: () => void): () => void {
  const newest = raw.prepare<{ id: number }, []>("SELECT id FROM live_events ORDER BY id DESC LIMIT 1");
  const newestId = () => newest.get()?.id ?? 0;
  let known = newestId();
  const look = () => {
    const now = newestId();
    if (now === known) return;
    known = now;
    listener();
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // An error of the disk, which requests report. Thrown from a timer, it would end the thread.
    }
  }, LOOK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
