import { parentPort, Worker, workerData } from "node:worker_threads";
import { unpackOnThisThread } from "../adapters/archive/unpacker.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { openSqliteStore } from "../adapters/store/sqlite/store.ts";
import { dataFolder } from "./data-folder.ts";
import { threadEntry } from "./thread-entry.ts";

/** Starts a thread that unpacks into the content store of a data folder. */
export function startUnpackingThread(root: string): Worker {
  return new Worker(threadEntry("unpack"), { workerData: root });
}

/** What such a thread runs. It reads the store through a connection of its own, and never writes to it. */
export function runUnpackingThread(): void {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  const { content, database } = dataFolder(workerData as string);
  const store = openSqliteStore(database);
  unpackOnThisThread(parentPort, {
    blobs: openFilesystemBlobs(content),
    knows: (digest) => store.contents.knows(digest),
  });
}
