import { MessageChannel, type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type HomePublisher, publishOnThisThread, sharePublisher } from "../adapters/archive/publisher.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { shiftedClock } from "../adapters/clock.ts";
import { systemSecrets } from "../adapters/secrets.ts";
import { openSqliteStore } from "../adapters/store/sqlite/store.ts";
import { type Permit, type PublicationPorts, publishUnpacked } from "../domain/deployments/deploy.ts";
import type { PublicationResult } from "../domain/ports/store/deployments.ts";
import { dataFolder } from "./data-folder.ts";
import { collectWhenIdle } from "./idle-collection.ts";
import { userQuota } from "./policies.ts";
import { lowerPriority } from "./priority.ts";
import type { Shared } from "./shared.ts";

/** Behind the threads that serve visitors, and before the one that compresses. */
const PUBLISHING_PRIORITY = 5;

/** What a publishing thread is given. */
export type PublishingTask = Pick<Shared, "config" | "generation" | "clockShift">;

export type Publishing = HomePublisher<Permit, PublicationResult>;

/** Returns a port over which another thread reaches the publisher of this one, with `remotePublisher`. */
export function publisherPort(publishing: Publishing): MessagePort {
  const { port1, port2 } = new MessageChannel();
  sharePublisher(port1, publishing);
  // A listening port would keep the process running for ever.
  port1.unref();
  return port2;
}

/** A publishing thread's life: no serving thread waits while thousands of files become rows. */
export function runPublishingThread(): void {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  lowerPriority(PUBLISHING_PRIORITY);
  collectWhenIdle();
  const { config, generation, clockShift } = workerData as PublishingTask;
  const { content, database } = dataFolder(config.dataDir);
  const store = openSqliteStore(database, generation);
  const clock = shiftedClock(clockShift);
  const ports: PublicationPorts = { store, quota: userQuota(config), clock, secrets: systemSecrets };
  publishOnThisThread(parentPort, {
    openBlobs: () => openFilesystemBlobs(content),
    knows: (digest) => store.contents.knows(digest),
    publish: (permit: Permit, unpacked) => publishUnpacked(ports, permit, unpacked),
  });
}
