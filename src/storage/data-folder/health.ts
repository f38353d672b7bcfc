import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { DataFolder } from "./data-folder.ts";

/** Milliseconds for which a judgement holds: a flood of health checks must not become a flood of disk syncs. */
const HOLDS_FOR = 1000;

/** Returns a check that rejects when the database or the content store cannot be written. */
export function healthCheck(store: Pick<Store, "checkWritable">, folder: DataFolder, time: { now(): number }) {
  let last: { at: number; result: Promise<void> } | null = null;
  return (): Promise<void> => {
    if (!last || time.now() - last.at >= HOLDS_FOR) last = { at: time.now(), result: check(store, folder) };
    return last.result;
  };
}

async function check(store: Pick<Store, "checkWritable">, folder: DataFolder): Promise<void> {
  await store.checkWritable();
  // A new file each time: on a full disk one that is there could still be written.
  const file = join(folder.content, `.writable-${crypto.randomUUID()}`);
  try {
    await writeFile(file, new Uint8Array(4096), { mode: 0o600 });
  } catch (error) {
    // Everybody may ask: the code says why, and the message would say where on the disk.
    throw new DomainError("unavailable", `the content store cannot be written: ${errorCode(error)}`);
  } finally {
    await rm(file, { force: true });
  }
}
