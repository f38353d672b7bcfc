import { statSync } from "node:fs";
import { DomainError } from "../../domain/errors.ts";
import type { UnpackedArchive, Unpacker, UploadLimits } from "../../domain/ports/archive.ts";
import type { Room } from "../../domain/quotas/quota.ts";
import { answerCalls, callOver, type Port } from "./calls.ts";
import { buffersOf, type PackedArchive, packArchive, unpackArchive } from "./packed.ts";
import { type Taken, Threads, type WorkerThread } from "./threads.ts";
import { claimedEntries } from "./zip/judge.ts";
import { mergeShares, type UnpackingJob, type UnpackingPorts, unpackZip, WHOLE } from "./zip/unpack.ts";

const RETRY_AFTER_SECONDS = 5;

/** An archive of this size is shared by two threads if they are free. Bigger ones leave one to the next upload. */
const SHARED_BYTES = { from: 1024 * 1024, to: 128 * 1024 * 1024 };

/** Each thread that shares an archive keeps a list of all its entries, half a kilobyte each. */
const SHARED_ENTRIES = 20_000;

/** A thread that listed thousands of files ends: its heap has fifty megabytes that publishing needs as well. */
const LONG_LIST_BYTES = 1024 * 1024;

/** Threads give their memory back after this time without work. */
const IDLE_MS = 30_000;

/** `undo` takes back what the last order stored, when the other share of its archive failed. */
type Order = UnpackingJob | "undo";
type Answer = PackedArchive | null;
type Thread = Taken<Order, Answer>;

/** What the threads that shared an archive stored of it, as they sent it. */
type Shares = readonly PackedArchive[];

/** What is to be unpacked, and what its owner may have and has. */
interface Request {
  readonly archive: string;
  readonly room: Room | null;
}

type Upload = Request & PromiseWithResolvers<Shares>;

/** The unpacker where its threads are at home: it passes on what they send without looking inside. */
export interface HomeUnpacker extends Unpacker {
  unpackPacked(request: Request): Promise<Shares>;
  close(): void;
}

/**
 * Opens the unpacker of the main thread. `startThread` starts a thread that calls `unpackOnThisThread`; there are up
 * to `maxThreads` of them, while there is work. An archive that kills its thread fails that one upload, with an internal error.
 */
export function openUnpacker(options: {
  readonly startThread: () => WorkerThread;
  readonly limits: UploadLimits;
  readonly maxThreads: number;
  /** Waiting costs a connection and the spooled archive, nothing else; whoever comes later is told to come back. */
  readonly maxWaiting: number;
  readonly idleMs?: number;
}): HomeUnpacker {
  const { startThread, limits, maxThreads, maxWaiting, idleMs = IDLE_MS } = options;
  const threads = new Threads<Order, Answer>(startThread, maxThreads, idleMs);
  const waiting: Upload[] = [];

  const unpackWith = async ({ archive, room }: Request, taken: readonly Thread[]) => {
    const shareOf = (index: number) => (taken.length === 1 ? WHOLE : { index, of: taken.length });
    const calls = taken.map((thread, index) => thread.call({ archive, limits, room, share: shareOf(index) }));
    // All threads have let go of the archive, and of what they stored of it, before anybody hears of a failure.
    const shares = await Promise.allSettled(calls);
    const failed = shares.find((share) => share.status === "rejected");
    if (failed) {
      const done = taken.filter((_, index) => shares[index]?.status === "fulfilled");
      await Promise.allSettled(done.map((thread) => thread.call("undo")));
    }
    const stored = shares.flatMap((share) => (share.status === "fulfilled" && share.value ? [share.value] : []));
    const isLong = stored.reduce((bytes, share) => bytes + share.files.length, 0) > LONG_LIST_BYTES;
    await Promise.all(taken.map((thread) => (isLong ? threads.retire(thread) : threads.giveBack(thread))));
    startNext();
    if (failed) throw failed.reason;
    return stored;
  };

  const startNext = () => {
    while (waiting.length > 0) {
      const first = threads.take();
      if (!first) return;
      const upload = waiting.shift()!;
      const second = waiting.length === 0 && isShared(upload.archive) ? threads.take() : null;
      upload.resolve(unpackWith(upload, second ? [first, second] : [first]));
    }
  };

  const unpackPacked = async (request: Request): Promise<Shares> => {
    if (waiting.length >= maxWaiting) throw tooManyWait();
    const upload = { ...request, ...Promise.withResolvers<Shares>() };
    waiting.push(upload);
    startNext();
    return upload.promise;
  };

  return {
    unpackPacked,
    unpack: async (archive, room = null) => merged(await unpackPacked({ archive, room })),
    close() {
      threads.close();
      for (const { reject } of waiting.splice(0)) reject(tooManyWait());
    },
  };
}

/** Unpacks whatever the main thread sends; what a thread started by `startThread` runs. */
export function unpackOnThisThread(port: Port, ports: UnpackingPorts): void {
  let undo = () => {};
  const openBlobs = () => {
    const blobs = ports.openBlobs();
    undo = () => blobs.undo();
    return blobs;
  };
  const work = async (order: Order): Promise<Answer> => {
    if (order !== "undo") return packArchive(await unpackZip({ ...ports, openBlobs }, order));
    undo();
    return null;
  };
  answerCalls(port, work, (answer) => (answer ? buffersOf(answer) : []));
}

/** Lets another thread unpack over a channel, with `remoteUnpacker` at its other end. */
export function shareUnpacker(port: Port, unpacker: Pick<HomeUnpacker, "unpackPacked">): void {
  answerCalls<Request, Shares>(port, unpacker.unpackPacked, (shares) => shares.flatMap(buffersOf));
}

/** Returns the unpacker that the main thread shares over this end of the channel. */
export function remoteUnpacker(port: Port): Unpacker {
  const { call } = callOver<Request, Shares>(port);
  return { unpack: async (archive, room = null) => merged(await call({ archive, room })) };
}

// --- internal ---

function merged(shares: Shares): UnpackedArchive {
  const [first, ...others] = shares.map(unpackArchive);
  return others.length === 0 ? first! : mergeShares([first!, ...others]);
}

function isShared(archive: string): boolean {
  const size = sizeOf(archive);
  return size >= SHARED_BYTES.from && size <= SHARED_BYTES.to && claimedEntries(archive) <= SHARED_ENTRIES;
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
