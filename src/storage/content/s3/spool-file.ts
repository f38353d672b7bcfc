import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EnsureSpace } from "../../disk/space-guard.ts";

/** A file that is written before its digest is known. */
interface SpoolFile {
  readonly path: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Closes the file, and returns its size in bytes. The caller must remove it. */
  end(): Promise<number>;
  /** Removes the file, unless it was ended. */
  abort(): Promise<void>;
}

/** Opens a new file in a folder, which only its owner can read. Throws `disk_full` if there is no space for it. */
export async function spoolFile(folder: string, ensureSpace: EnsureSpace): Promise<SpoolFile> {
  const path = join(folder, crypto.randomUUID());
  const file = await open(path, "wx", 0o600);
  let size = 0;
  let isOpen = true;
  return {
    path,

    async write(chunk) {
      ensureSpace(chunk.length);
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
      size += chunk.length;
    },

    async end() {
      isOpen = false;
      await file.close();
      return size;
    },

    async abort() {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
      await rm(path, { force: true });
    },
  };
}
