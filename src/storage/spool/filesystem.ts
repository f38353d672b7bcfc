import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileFailure } from "../../domain/disk-error.ts";
import type { Spool, SpoolFile } from "../../domain/ports/spool.ts";
import { withDomainErrors } from "../../domain/translate-errors.ts";
import { type EnsureSpace, spaceGuard } from "../disk/space-guard.ts";

/**
 * Returns the spool in a folder, which is created if necessary. Like content, spooled files do not use the reserve of
 * the disk, so that endless uploads cannot keep the database from being written.
 */
export function filesystemSpool(folder: string, ensureSpace: EnsureSpace = spaceGuard(folder)): Spool {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const create = async (bytes: number) => {
    ensureSpace(bytes);
    return createFile(join(folder, randomUUID()), ensureSpace);
  };
  return withDomainErrors({ create }, spoolFailure);
}

/** Removes leftovers of a crash. Only the process with the data folder's lock may call it, before it serves. */
export function clearSpool(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true, recursive: true });
}

async function createFile(path: string, ensureSpace: EnsureSpace): Promise<SpoolFile> {
  const file = await open(path, "wx", 0o600);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
  const spooled: SpoolFile = {
    path,
    async write(chunk) {
      ensureSpace(chunk.length);
      // A write to a full disk may be short instead of failing. The rest is retried and then fails.
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, done, chunk.length - done);
        done += bytesWritten;
      }
    },
    close,
    async delete() {
      await close().catch(() => {});
      await rm(path, { force: true }).catch(() => {});
    },
  };
  return withDomainErrors(spooled, spoolFailure);
}

function spoolFailure(error: unknown): unknown {
  return fileFailure(error, "the spool");
}
