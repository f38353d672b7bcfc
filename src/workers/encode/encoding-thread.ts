import { parentPort, type Worker, workerData } from "node:worker_threads";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { lowerPriority } from "../../app/priority.ts";
import { type Codec, encodePending } from "../../domain/deployments/encode.ts";
import type { Log } from "../../domain/ports/log.ts";
import type { Store } from "../../domain/ports/store.ts";
import { MINUTE, SECOND } from "../../domain/timestamp.ts";
import { openStorage, type StorageOptions } from "../../storage/open.ts";

interface EncodingInBackground {
  /** Resolves when the thread has ended. */
  stop(): Promise<void>;
}

/** How soon after a deployment its encodings are begun. */
const LOOK_INTERVAL = SECOND;
/** After a failure, such as a full disk, the next try comes with a change or after this. */
const RETRY_INTERVAL = 10 * MINUTE;
/** The lowest there is: beside a busy thread, this one gets 1.5 % of the core. */
const LOWEST_PRIORITY = 19;
/** The file in hand may take so long to finish when the server stops; what is cut off is done again. */
const STOP_PATIENCE = 2 * SECOND;

/**
 * Looks every second whether there is content to encode, and lets a thread do it: it begins with the first file and
 * ends with the last, so that its memory is given back. What a crash interrupted goes on after the next start.
 */
export function encodeInBackground(
  store: Pick<Store, "generation" | "encodings">,
  startThread: () => Worker,
  log: Log,
): EncodingInBackground {
  let seen = -1;
  let lookedAt = 0;
  let thread: Worker | null = null;

  const look = async () => {
    const generation = store.generation();
    const now = performance.now();
    if (thread || (generation === seen && now - lookedAt < RETRY_INTERVAL)) return;
    seen = generation;
    lookedAt = now;
    if ((await store.encodings.pending(1)).length === 0 || thread) return;
    thread = startThread();
    thread.on("error", (error) => log.error("encoding failed", error));
    thread.on("exit", () => {
      thread = null;
    });
    thread.unref();
  };
  const timer = setInterval(() => look().catch((error) => log.error("encoding failed", error)), LOOK_INTERVAL);

  return {
    async stop() {
      clearInterval(timer);
      const running = thread;
      if (!running) return;
      const ended = new Promise<void>((resolve) => running.once("exit", () => resolve()));
      running.postMessage("stop");
      await Promise.race([ended, Bun.sleep(STOP_PATIENCE)]);
      await running.terminate();
    },
  };
}

/**
 * An encoding thread's life: it works off what there is, and ends. Visitors go first: with every core busy,
 * encodings are late, never missing.
 */
export async function runEncodingThread(): Promise<void> {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  const { store, openContent, close } = openStorage(workerData as StorageOptions);
  let stopping = false;
  parentPort.once("message", () => {
    stopping = true;
  });
  const isNice = lowerPriority(LOWEST_PRIORITY);
  const content = openContent();
  let resumedAt = performance.now();
  try {
    await encodePending({
      store,
      content,
      codec: systemCodec,
      async pause() {
        const worked = performance.now() - resumedAt;
        await Bun.sleep(isNice ? 0 : 3 * worked);
        resumedAt = performance.now();
        return !stopping;
      },
    });
  } finally {
    close();
    parentPort.close();
  }
}

/** At these levels no window exceeds the 8 MB that every browser accepts (RFC 9659). */
const LEVELS = {
  best: { br: 11, zstd: 19, gzip: 9 },
  good: { br: 9, zstd: 12, gzip: 9 },
  fast: { br: 1, zstd: 1, gzip: 1 },
} as const;

/** The runtime's own compressors. */
export const systemCodec: Codec = {
  compress(content, coding, effort) {
    const level = LEVELS[effort][coding];
    switch (coding) {
      case "br":
        return brotliCompressSync(content, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: level,
            [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          },
        });
      case "zstd":
        return Bun.zstdCompressSync(content, { level });
      case "gzip":
        return gzipSync(content, { level });
    }
  },
};
