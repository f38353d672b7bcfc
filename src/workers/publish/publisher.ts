import type { MessagePort } from "node:worker_threads";
import { DomainError } from "../../domain/errors.ts";
import type { Room } from "../../domain/model/quota.ts";
import type { UploadLimits } from "../../domain/ports/archive.ts";
import { answerCalls, type Port, remote } from "../rpc.ts";
import { ThreadPool, type WorkerThread } from "../thread.ts";

const RETRY_AFTER_SECONDS = 5;

/** Threads end after this time without work, to free their memory. */
const IDLE_MS = 30_000;

/** An archive file, the owner's remaining quota (null for no limit), and the permission to publish it. */
interface Upload<Permit> {
  readonly archive: string;
  readonly room: Room | null;
  readonly permit: Permit;
}

export type PublishingMethods<Permit, Result> = {
  readonly publish: (upload: Upload<Permit> & { readonly limits: UploadLimits }) => Promise<Result>;
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

  const startNext = () => {
    while (waiting.length > 0 && pool.hasFreeThread) {
      const { archive, room, permit, resolve } = waiting.shift()!;
      resolve(pool.run((thread) => thread.call("publish", { archive, room, permit, limits })).finally(startNext));
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
  answerCalls(port, { publish: publisher.publish });
}

/** Returns the domain's `Publisher` that the main thread shares over this end of the channel. */
export function remotePublisher<Permit, Result>(port: MessagePort) {
  const { call } = remote<{ publish: (upload: Upload<Permit>) => Promise<Result> }>(port);
  return {
    publish: (archive: string, permit: Permit, room: Room | null) => call("publish", { archive, permit, room }),
  };
}

// --- internal ---

function tooManyWaiting(): DomainError {
  return new DomainError("unavailable", "too many uploads are waiting: try again in a moment", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
