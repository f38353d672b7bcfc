import { statSync } from "node:fs";
import { claimedEntries } from "../../archive/zip/judge.ts";
import { mergeShares, type UnpackingJob, type UnpackingPorts, unpackZip, WHOLE } from "../../archive/zip/unpack.ts";
import type { Room } from "../../domain/accounts/quota.ts";
import { DomainError } from "../../domain/errors.ts";
import type { UnpackedArchive, UploadLimits } from "../../domain/ports/archive.ts";
import { answerCalls, callOver, type Port } from "./calls.ts";
import { buffersOf, isPacked, type PackedArchive, packArchive, unpackArchive } from "./packed.ts";
import { type Taken, Threads, type WorkerThread } from "./threads.ts";

const RETRY_AFTER_SECONDS = 5;

/** An archive of this size is shared by two threads if they are free. Bigger ones leave one to the next upload. */
const SHARED_BYTES = { from: 1024 * 1024, to: 128 * 1024 * 1024 };

/** Each thread that shares an archive keeps a list of all its entries, half a kilobyte each. */
const SHARED_ENTRIES = 20_000;

/** Lists of files from which on a collection of some twenty milliseconds is worth the memory that it gives back. */
const LONG_LIST_BYTES = 512 * 1024;

/** Threads give their memory back after this time without work. */
const IDLE_MS = 30_000;

/** `undo` takes back what the last order stored, when the other share of its archive failed. */
type Order<Permit> = UnpackingJob | "undo" | PublishingJob<Permit>;

/** All shares of an archive, for the thread that publishes them under the permit. */
interface PublishingJob<Permit> {
  readonly permit: Permit;
  readonly shares: readonly PackedArchive[];
}

type Answer<Result> = PackedArchive | null | Result;
type Thread<Permit, Result> = Taken<Order<Permit>, Answer<Result>>;

/** An archive file, what its owner may have and has, and what it is published under. */
export interface Upload<Permit> {
  readonly archive: string;
  readonly room: Room | null;
  readonly permit: Permit;
}

/** The publisher where its threads are at home. What permits and results are, only the threads know. */
export interface HomePublisher<Permit, Result> {
  /** Throws as `Publisher.publish` says. */
  publish(upload: Upload<Permit>): Promise<Result>;
  close(): void;
}

/** What a thread is plugged into. */
export interface PublishingPorts<Permit, Result> extends UnpackingPorts {
  readonly publish: (permit: Permit, unpacked: UnpackedArchive) => Promise<Result>;
}

/**
 * Opens the publisher of the main thread. `startThread` starts a thread that calls `publishOnThisThread`; there are up
 * to `maxThreads` of them, while there is work. An archive that kills its thread fails that one upload, with an internal
 * error. The list of an archive's files, tens of megabytes where there are thousands, is in its threads alone.
 */
export function openPublisher<Permit, Result>(options: {
  readonly startThread: () => WorkerThread;
  readonly limits: UploadLimits;
  readonly maxThreads: number;
  /** Waiting costs a connection and the spooled archive, nothing else; whoever comes later is told to come back. */
  readonly maxWaiting: number;
  readonly idleMs?: number;
}): HomePublisher<Permit, Result> {
  const { startThread, limits, maxThreads, maxWaiting, idleMs = IDLE_MS } = options;
  const threads = new Threads<Order<Permit>, Answer<Result>>(startThread, maxThreads, idleMs);
  const waiting: (Upload<Permit> & PromiseWithResolvers<Result>)[] = [];

  const publishWith = async (upload: Upload<Permit>, taken: readonly Thread<Permit, Result>[]): Promise<Result> => {
    try {
      const shares = await unpackWith(upload, limits, taken);
      return (await taken[0]!.call({ permit: upload.permit, shares }, shares.flatMap(buffersOf))) as Result;
    } finally {
      for (const thread of taken) threads.giveBack(thread);
      startNext();
    }
  };

  const startNext = () => {
    while (waiting.length > 0) {
      const first = threads.take();
      if (!first) return;
      const upload = waiting.shift()!;
      const second = waiting.length === 0 && isShared(upload.archive) ? threads.take() : null;
      upload.resolve(publishWith(upload, second ? [first, second] : [first]));
    }
  };

  return {
    async publish(upload) {
      if (waiting.length >= maxWaiting) throw tooManyWait();
      const { promise, ...settle } = Promise.withResolvers<Result>();
      waiting.push({ ...upload, promise, ...settle });
      startNext();
      return promise;
    },
    close() {
      threads.close();
      for (const { reject } of waiting.splice(0)) reject(tooManyWait());
    },
  };
}

/** Unpacks and publishes whatever the main thread sends; what a thread started by `startThread` runs. */
export function publishOnThisThread<Permit, Result>(port: Port, ports: PublishingPorts<Permit, Result>): void {
  let undo = () => {};
  const openBlobs = () => {
    const blobs = ports.openBlobs();
    undo = () => blobs.undo();
    return blobs;
  };
  const work = async (order: Order<Permit>): Promise<Answer<Result>> => {
    if (order === "undo") {
      undo();
      return null;
    }
    if ("permit" in order) {
      undo = () => {};
      const collect = collection(order.shares);
      collect();
      const result = await ports.publish(order.permit, mergeShares(order.shares.map(unpackArchive)));
      collect();
      return result;
    }
    return packArchive(await unpackZip({ ...ports, openBlobs }, order));
  };
  answerCalls(port, work, (answer) => (isPacked(answer) ? buffersOf(answer) : []));
}

/** Lets another thread publish over a channel, with `remotePublisher` at its other end. */
export function sharePublisher<Permit, Result>(
  port: Port,
  { publish }: Pick<HomePublisher<Permit, Result>, "publish">,
): void {
  answerCalls(port, publish);
}

/** Returns the publisher that the main thread shares over this end of the channel: `Publisher`, of the domain's permits. */
export function remotePublisher<Permit, Result>(port: Port) {
  const { call } = callOver<Upload<Permit>, Result>(port);
  return {
    publish: (archive: string, permit: Permit, room: Room | null): Promise<Result> => call({ archive, permit, room }),
  };
}

// --- internal ---

/** Lets each of the threads store its share of the archive; nothing stays stored when one of them fails. */
async function unpackWith<Permit, Result>(
  { archive, room }: Upload<Permit>,
  limits: UploadLimits,
  taken: readonly Thread<Permit, Result>[],
): Promise<PackedArchive[]> {
  const shareOf = (index: number) => (taken.length === 1 ? WHOLE : { index, of: taken.length });
  const calls = taken.map((thread, index) => thread.call({ archive, limits, room, share: shareOf(index) }));
  // All threads have let go of the archive, and of what they stored of it, before anybody hears of a failure.
  const shares = await Promise.allSettled(calls);
  const failed = shares.find((share) => share.status === "rejected");
  if (failed) {
    const done = taken.filter((_, index) => shares[index]?.status === "fulfilled");
    await Promise.allSettled(done.map((thread) => thread.call("undo")));
    throw failed.reason;
  }
  return shares.map((share) => (share as PromiseFulfilledResult<PackedArchive>).value);
}

function isShared(archive: string): boolean {
  const size = sizeOf(archive);
  return size >= SHARED_BYTES.from && size <= SHARED_BYTES.to && claimedEntries(archive) <= SHARED_ENTRIES;
}

/** Returns what gives memory back: unpacking thousands of files leaves as much behind as publishing them takes. */
function collection(shares: readonly PackedArchive[]): () => void {
  const bytes = shares.flatMap(buffersOf).reduce((total, { byteLength }) => total + byteLength, 0);
  return () => {
    if (bytes > LONG_LIST_BYTES) Bun.gc(true);
  };
}

/** Whatever is wrong with the file, the thread that unpacks it will say. */
function sizeOf(archive: string): number {
  try {
    return statSync(archive).size;
  } catch {
    return 0;
  }
}

function tooManyWait(): DomainError {
  return new DomainError("unavailable", "too many uploads are waiting: try again in a moment", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
