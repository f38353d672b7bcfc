import { type MessagePort, Worker } from "node:worker_threads";
import type { MeterSlots } from "../../serving/metrics.ts";
import { workerEntry } from "../../worker-entries.ts";
import type { Shared } from "../shared.ts";
import { type WorkerThread, wrapThread } from "../thread.ts";

/** What a serving thread is given. `publishing` leads to the publisher of the main thread. */
export interface ServingTask {
  readonly shared: Shared;
  readonly meters: MeterSlots;
  readonly publishing: MessagePort;
}

/** What a serving thread can be asked for. */
export type ServingMethods = {
  /** Opens the listeners, and returns the port. */
  readonly listen: () => Promise<number>;
  /** Presents the certificates as they are now, from the next connection on. */
  readonly present: () => Promise<void>;
  /** Resolves when the event loop has had its turn. */
  readonly ping: () => Promise<void>;
  /**
   * Is not ready for `delay` milliseconds, during which it answers as before; then takes no new connections, and
   * resolves when the running requests have finished.
   */
  readonly drain: (delay: number) => Promise<void>;
};

/** The main thread's handle of a serving thread. Every method rejects once the thread has ended. */
export interface ServingThread {
  present(): Promise<void>;
  ping(): Promise<void>;
  /** Drains as `ServingMethods` says, and ends the thread. */
  drain(delay?: number): Promise<void>;
  /** Ends the thread at once, whatever runs in it. */
  end(): void;
}

/** Starts the worker of a serving thread. */
export function newServingWorker(task: ServingTask): WorkerThread {
  return new Worker(workerEntry("serve"), { workerData: task, transferList: [task.publishing] });
}

/**
 * Resolves when the thread of `worker` listens; rejects with the reason when it cannot. `lost` is called when the thread
 * ends unasked.
 */
export async function startServingThread(worker: WorkerThread, lost: (reason: string) => void): Promise<ServingThread> {
  const { call, end, ended } = wrapThread<ServingMethods>(worker);
  let isExpected = false;
  void ended.then((reason) => {
    if (!isExpected) lost(reason);
  });
  const endNow = () => {
    isExpected = true;
    end("the program is ending");
  };
  try {
    await call("listen");
  } catch (error) {
    endNow();
    throw error;
  }
  return {
    present: () => call("present"),
    ping: () => call("ping"),
    async drain(delay = 0) {
      isExpected = true;
      // A thread that dies while it drains has drained.
      await call("drain", delay).catch(() => {});
      endNow();
    },
    end: endNow,
  };
}
