import { MessageChannel, type MessagePort, parentPort, workerData } from "node:worker_threads";
import { shiftedClock } from "../../app/clock.ts";
import { userQuota } from "../../app/policies.ts";
import { lowerPriority } from "../../app/priority.ts";
import { systemSecrets } from "../../app/secrets.ts";
import { type Permit, type PublicationPorts, publishUnpacked } from "../../domain/deployments/deploy.ts";
import type { PublicationResult } from "../../domain/ports/store/deployments.ts";
import { openFilesystemBlobs } from "../../storage/content/filesystem/filesystem.ts";
import { dataFolder } from "../../storage/data-folder/data-folder.ts";
import { openSqliteStore } from "../../storage/sqlite/store.ts";
import { collectWhenIdle } from "../serve/idle-collection.ts";
import type { Shared } from "../shared.ts";
import { type HomePublisher, publishOnThisThread, sharePublisher } from "./publisher.ts";

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
