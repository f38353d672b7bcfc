import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Store } from "../../domain/ports/store.ts";

/** Milliseconds for which a result is reused, so that a flood of health checks does not flood the disk with syncs. */
const RESULT_LIFETIME_MS = 1000;

/** The folder of unfinished files, in that of the content as in that of the cache, which is cleared after a crash. */
const UNFINISHED = "staging";

/** Returns a check that rejects if the database or the folder of the content, or of its cache, cannot be written. */
export function healthCheck(store: Pick<Store, "checkWritable">, folder: string, time: { now(): number }) {
  let last: { at: number; result: Promise<void> } | null = null;
  return (): Promise<void> => {
    if (!last || time.now() - last.at >= RESULT_LIFETIME_MS) last = { at: time.now(), result: check(store, folder) };
    return last.result;
  };
}

async function check(store: Pick<Store, "checkWritable">, folder: string): Promise<void> {
  await store.checkWritable();
  // A new file each time, because on a full disk an existing one could still be written.
  const file = join(folder, UNFINISHED, `writable-${crypto.randomUUID()}`);
  try {
    await writeFile(file, new Uint8Array(4096), { mode: 0o600 });
  } catch (error) {
    // Anybody can request this. The code gives the reason, while the message would reveal the path.
    throw new DomainError("unavailable", `the content store cannot be written: ${errorCode(error)}`);
  } finally {
    await rm(file, { force: true });
  }
}
