import { statSync } from "node:fs";
import type { MessagePort } from "node:worker_threads";
import { claimedEntries } from "../../archive/zip/end-record.ts";
import type { Share } from "../../archive/zip/unpack.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Room } from "../../domain/model/quota.ts";
import type { UnpackedArchive, UploadLimits } from "../../domain/ports/archive.ts";
import { handleCalls, type Port, remote } from "../rpc.ts";
import { ThreadPool, type WorkerThread } from "../thread.ts";

const RETRY_AFTER_SECONDS = 5;

/** Threads end after this time without work, to free their memory. */
const IDLE_MS = 30_000;

/**
 * An archive of this size is shared by two threads if both are free. A larger one leaves a thread to the next upload.
 */
const SHARED_BYTES = { min: 1024 * 1024, max: 128 * 1024 * 1024 };

/** Each thread that shares an archive keeps a list of all its entries, half a kilobyte for each. */
const MAX_SHARED_ENTRIES = 20_000;

/** An archive file, the owner's remaining quota (null for no limit), and the permission to publish it. */
interface Upload<Permit> {
  readonly archive: string;
  readonly room: Room | null;
  readonly permit: Permit;
}

interface UnpackingJob extends Omit<Upload<unknown>, "permit"> {
  readonly limits: UploadLimits;
  readonly share: Share;
}

/** The methods of a thread, which works for one upload at a time. */
export type PublishingMethods<Permit, Result> = {
  /** Stores a share of the archive. The thread keeps the first share for `publish`, and returns the others. */
  readonly unpack: (job: UnpackingJob) => Promise<UnpackedArchive | null>;
  /** Publishes the kept share together with the others. */
  readonly publish: (job: { readonly permit: Permit; readonly others: readonly UnpackedArchive[] }) => Promise<Result>;
  /** Removes what `unpack` stored, because another share failed. */
  readonly undo: () => Promise<void>;
};

/** The publisher of the main thread. */
export interface ThreadedPublisher<Permit, Result> {
  /** Throws the errors of `Publisher.publish`. */
  publish(upload: Upload<Permit>): Promise<Result>;
  close(): void;
}

/**
 * Opens the publisher of the main thread. `startThread` starts a thread with `PublishingMethods`; there are up to
 * `maxThreads` of them, while there is work. An archive that kills its thread fails that one upload, with an internal
 * error.
 */
export function openPublisher<Permit, Result>(options: {
  readonly startThread: () => WorkerThread;
  readonly limits: UploadLimits;
  readonly maxThreads: number;
  /**
   * A waiting upload needs only a connection and its spooled archive. Further uploads are refused with a retry time.
   */
  readonly maxWaiting: number;
  readonly idleMs?: number;
}): ThreadedPublisher<Permit, Result> {
  const { startThread, limits, maxThreads, maxWaiting, idleMs = IDLE_MS } = options;
  const pool = new ThreadPool<PublishingMethods<Permit, Result>>(startThread, maxThreads, idleMs);
  const waiting: (Upload<Permit> & PromiseWithResolvers<Result>)[] = [];

  const unpack = (upload: Upload<Permit>, first: PublishingThread<Permit, Result>) => {
    const isShared = waiting.length === 0 && pool.hasFreeThread && isWorthSharing(upload.archive);
    if (!isShared) return unpackWith([first], upload, limits);
    return pool.run((second) => unpackWith([first, second], upload, limits)).finally(startNext);
  };

  const publishWith = async (upload: Upload<Permit>, first: PublishingThread<Permit, Result>) => {
    const others = await unpack(upload, first);
    return first.call("publish", { permit: upload.permit, others });
  };

  const startNext = () => {
    while (waiting.length > 0 && pool.hasFreeThread) {
      const { resolve, ...upload } = waiting.shift()!;
      resolve(pool.run((first) => publishWith(upload, first)).finally(startNext));
    }
  };

  return {
    async publish(upload) {
      if (waiting.length >= maxWaiting) throw tooManyWaiting();
      const { promise, ...settle } = Promise.withResolvers<Result>();
      waiting.push({ ...upload, promise, ...settle });
      startNext();
      return promise;
    },
    close() {
      pool.close();
      for (const { reject } of waiting.splice(0)) reject(tooManyWaiting());
    },
  };
}

/** Lets another thread publish over a channel, with `remotePublisher` at its other end. */
export function sharePublisher<Permit, Result>(port: Port, publisher: ThreadedPublisher<Permit, Result>): void {
  handleCalls(port, { publish: publisher.publish });
}

/** Returns the domain's `Publisher` that the main thread shares over this end of the channel. */
export function remotePublisher<Permit, Result>(port: MessagePort) {
  const { call } = remote<{ publish: (upload: Upload<Permit>) => Promise<Result> }>(port);
  return {
    publish: (archive: string, permit: Permit, room: Room | null) => call("publish", { archive, permit, room }),
  };
}

// --- internal ---

type PublishingThread<Permit, Result> = Parameters<
  Parameters<ThreadPool<PublishingMethods<Permit, Result>>["run"]>[0]
>[0];

/** Unpacks an archive with all threads, and returns the shares of all but the first. If one fails, nothing stays stored. */
async function unpackWith<Permit, Result>(
  threads: readonly PublishingThread<Permit, Result>[],
  { archive, room }: Upload<Permit>,
  limits: UploadLimits,
): Promise<UnpackedArchive[]> {
  const unpacking = threads.map((thread, index) =>
    thread.call("unpack", { archive, room, limits, share: { index, of: threads.length } }),
  );
  const settled = await Promise.allSettled(unpacking);
  const failed = settled.find((share) => share.status === "rejected");
  if (failed === undefined) return settled.flatMap((share) => (share.status === "fulfilled" && share.value) || []);
  await Promise.allSettled(threads.map((thread) => thread.call("undo")));
  throw failed.reason;
}

/** A missing archive fails when it is unpacked. */
function isWorthSharing(archive: string): boolean {
  const size = statSync(archive, { throwIfNoEntry: false })?.size ?? 0;
  if (size < SHARED_BYTES.min || size > SHARED_BYTES.max) return false;
  const entries = claimedEntries(archive);
  return entries !== null && entries > 1 && entries <= MAX_SHARED_ENTRIES;
}

function tooManyWaiting(): DomainError {
  return new DomainError("unavailable", "too many uploads are waiting: try again in a moment", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
