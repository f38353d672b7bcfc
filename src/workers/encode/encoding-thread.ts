import { parentPort, Worker, workerData } from "node:worker_threads";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { shiftedClock } from "../../clients/system/clock.ts";
import { type Codec, encodePending } from "../../domain/deployments/encode.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Log } from "../../domain/ports/system.ts";
import { MINUTE, SECOND } from "../../domain/timestamp.ts";
import { openStorage } from "../../storage/open.ts";
import { workerEntry } from "../../worker-entries.ts";
import { BackgroundThread, type BackgroundWork } from "../background-thread.ts";
import { type StorageTask, threadStorage } from "../ports/storage.ts";
import { lowerPriority } from "../priority.ts";
import type { Shared } from "../shared.ts";
import { reportMaker } from "./reports.ts";

/** The worker data of an encoding thread. */
interface EncodingTask extends StorageTask {
  /** The holder of leases. */
  readonly node: string;
}

interface EncodingPorts {
  readonly store: Pick<Store, "generation" | "affectedSites" | "encodings" | "reports">;
  readonly log: Log;
}

/** After a failure, such as a full disk, it is retried with the next change or after this time. */
const RETRY_INTERVAL_MS = 10 * MINUTE;
/** The lowest priority: next to a busy thread, this one gets 1.5 % of the core. */
const LOWEST_PRIORITY = 19;

/**
 * Checks every second whether there is content to encode or a report to make, and starts a thread for it. The thread
 * ends when everything is done, which frees its memory. After a crash, it resumes with the next start.
 */
export function encodeInBackground(
  { node, config, storage, contentMeters, clockShift }: Shared,
  { store, log }: EncodingPorts,
): BackgroundWork {
  const task: EncodingTask = { node, config, storage, contentMeters, clockShift };
  const clock = shiftedClock(clockShift);
  const startThread = () => new Worker(workerEntry("encode"), { workerData: task });
  let seen: number | null = null;
  let lookedAt = 0;
  const thread = new BackgroundThread(startThread, (error) => log.error("encoding failed", error));

  const poll = async () => {
    if (thread.isRunning || thread.isResting) return;
    if ((await store.reports.isPending({ holder: node, now: clock.now() })) && !thread.isRunning) thread.start();
    const generation = store.generation();
    const now = performance.now();
    const isOverdue = now - lookedAt >= RETRY_INTERVAL_MS;
    if (thread.isRunning || (generation === seen && !isOverdue)) return;
    // Checking all sites takes 12 ms for 40,000 contents.
    const changed = seen === null || isOverdue ? null : store.affectedSites(seen, generation);
    const isPending = await store.encodings.isPending({ holder: node, now: clock.now() }, changed);
    // Otherwise it is asked again.
    seen = generation;
    if (changed === null) lookedAt = now;
    if (isPending && !thread.isRunning) thread.start();
  };
  return {
    // The delay from a deployment to the start of its encoding.
    job: {
      name: "encode",
      title: "Check links and compress new content",
      scope: "cluster",
      every: SECOND,
      timeLimit: MINUTE,
      run: poll,
    },
    stop: () => thread.stop(),
  };
}

/**
 * Runs an encoding thread: makes all pending reports, encodes all pending content, then ends. A report that is requested
 * meanwhile is made after the current file, because somebody may wait for it. Visitors have priority: with every core
 * busy, reports and encodings are late but never missing.
 */
export async function runEncodingThread(): Promise<void> {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  const { node, ...task } = workerData as EncodingTask;
  const { store, openContent, close } = openStorage(threadStorage(task));
  const clock = shiftedClock(task.clockShift);
  let stopping = false;
  parentPort.once("message", () => {
    stopping = true;
  });
  const isNice = lowerPriority(LOWEST_PRIORITY);
  let resumedAt = performance.now();
  const pause = async () => {
    const worked = performance.now() - resumedAt;
    await Bun.sleep(isNice ? 0 : 3 * worked);
    resumedAt = performance.now();
    return !stopping;
  };
  const makeReports = reportMaker({ ...task, node, store, clock, content: openContent(), pause });
  try {
    if (!(await makeReports())) return;
    const pauseForReports = async () => (await pause()) && (await makeReports());
    await encodePending({ store, openContent, codec: systemCodec, clock, node, pause: pauseForReports });
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
  digest: (content) => Bun.CryptoHasher.hash("sha256", content, "hex"),
};
