import { parentPort, workerData } from "node:worker_threads";
import { shiftedClock } from "../../clients/system/clock.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { userQuota } from "../../config/policies.ts";
import { type PublicationPorts, publishUnpacked } from "../../domain/deployments/deploy.ts";
import type { UnpackedArchive } from "../../domain/ports/archive.ts";
import type { StartedPermit } from "../../domain/ports/store/deployments.ts";
import { hasCharset } from "../../serving/http/content-type.ts";
import { startPagesOf } from "../../serving/start-page.ts";
import { type KeptContent, openStorage } from "../../storage/open.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { type StorageTask, threadStorage } from "../ports/storage.ts";
import { lowerPriority } from "../priority.ts";
import { handleCalls } from "../rpc.ts";
import { publishingMethods } from "./methods.ts";

/** Lower than the threads that serve visitors, and higher than the one that compresses. */
const PUBLISHING_PRIORITY = 5;

/** A list of this many files leaves megabytes of garbage, which justifies a collection of some twenty milliseconds. */
const MANY_FILES = 5_000;

/** The worker data of a publishing thread. */
export type PublishingTask = StorageTask;

/**
 * Runs a publishing thread: it unpacks, hashes and publishes one upload at a time, so that no serving thread waits while
 * thousands of files become rows.
 */
export function runPublishingThread(): void {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  lowerPriority(PUBLISHING_PRIORITY);
  collectWhenIdle();
  const task = workerData as PublishingTask;
  const { config, clockShift } = task;
  const { store, openContent, openContentReadOnly } = openStorage(threadStorage(task));
  const clock = shiftedClock(clockShift);
  const startPages = startPagesOf(store);
  const ports: PublicationPorts = { store, quota: userQuota(config), clock, secrets: systemSecrets, startPages };
  const content = openContentReadOnly();
  const unpacking = {
    openContent,
    isText: hasCharset,
    async known(digests: readonly string[]) {
      const found = [...(await store.contents.find(digests))];
      const recorded = found.flatMap(([digest, { condemnedAt }]) => (condemnedAt === null ? [digest] : []));
      return config.content === null ? existing(content, recorded) : new Set(recorded);
    },
  };
  const publish = async (permit: StartedPermit, unpacked: UnpackedArchive) => {
    const isLarge = unpacked.files.length > MANY_FILES;
    if (isLarge) Bun.gc(true);
    const result = await publishUnpacked(ports, permit, unpacked);
    if (isLarge) Bun.gc(true);
    return result;
  };
  handleCalls(parentPort, publishingMethods(unpacking, publish));
}

// --- internal ---

/**
 * Returns the digests whose content is there. After the loss of files, or the restore of a backup that lacks some, a
 * deployment with these files brings them back. It takes a few microseconds for each.
 */
async function existing(content: Pick<KeptContent, "stat">, digests: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const digest of digests) if ((await content.stat(digest)) !== null) found.add(digest);
  return found;
}
