import { write, writeSync } from "node:fs";

/** Lines wait this long at most, in milliseconds, before they are written together. */
const INTERVAL = 200;

/** A reader of the log that does not keep up costs this much memory a thread, and then lines. */
const MAX_WAITING = 4 * 1024 * 1024;

export interface LineWriter {
  /** Takes a line with its end. Never waits and never throws. */
  write(line: string): void;
  /** Writes down what waits, and takes no more. */
  close(): void;
}

/**
 * Returns a writer to a file descriptor that collects lines, so that a request costs no system call. One write is under
 * way at a time; when the reader is too slow, lines are dropped and counted, and nobody waits.
 */
export function lineWriter(fd: number, interval = INTERVAL): LineWriter {
  let waiting: string[] = [];
  let size = 0;
  let dropped = 0;
  let writing = false;

  const take = (): Buffer => {
    if (dropped > 0)
      waiting.push(`${new Date().toISOString()} warn  ${dropped} lines were dropped: nobody reads fast enough\n`);
    const batch = Buffer.from(waiting.join(""));
    waiting = [];
    size = 0;
    dropped = 0;
    return batch;
  };
  const writeAll = (batch: Buffer) => {
    write(fd, batch, (error, written) => {
      if (!error && written < batch.length) return writeAll(batch.subarray(written));
      // A log that cannot be written stops nothing.
      writing = false;
    });
  };
  const flush = () => {
    if (writing || waiting.length === 0) return;
    writing = true;
    writeAll(take());
  };
  const timer = setInterval(flush, interval);
  timer.unref();

  return {
    write(line) {
      if (size > MAX_WAITING) {
        dropped++;
        return;
      }
      waiting.push(line);
      size += line.length;
    },
    close() {
      clearInterval(timer);
      try {
        if (waiting.length > 0) writeSync(fd, take());
      } catch {
        // A log that cannot be written stops nothing, not even at the end.
      }
    },
  };
}
