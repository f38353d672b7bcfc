import { MessageChannel, type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type HomeUnpacker, shareUnpacker, unpackOnThisThread } from "../adapters/archive/unpacker.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { openSqliteStore } from "../adapters/store/sqlite/store.ts";
import type { Config } from "../config.ts";
import type { UploadLimits } from "../domain/ports/archive.ts";
import { dataFolder } from "./data-folder.ts";
import { lowerPriority } from "./priority.ts";

/** Behind the threads that serve visitors, and before the one that compresses. */
const UNPACKING_PRIORITY = 5;

export function uploadLimits(config: Config): UploadLimits {
  return {
    archiveBytes: config.maxArchiveBytes,
    siteBytes: config.maxSiteBytes,
    fileBytes: config.maxFileBytes,
    files: config.maxFiles,
  };
}

/** Returns a port over which another thread reaches the unpacker of this one, with `remoteUnpacker`. */
export function unpackerPort(unpacker: HomeUnpacker): MessagePort {
  const { port1, port2 } = new MessageChannel();
  shareUnpacker(port1, unpacker);
  // A listening port would keep the process running for ever.
  port1.unref();
  return port2;
}

/** An unpacking thread's life. It reads the store through a connection of its own, and never writes to it. */
export function runUnpackingThread(): void {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  lowerPriority(UNPACKING_PRIORITY);
  const { content, database } = dataFolder(workerData as string);
  const store = openSqliteStore(database);
  unpackOnThisThread(parentPort, {
    openBlobs: () => openFilesystemBlobs(content),
    knows: (digest) => store.contents.knows(digest),
  });
}
