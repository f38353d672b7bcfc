import { type MessagePort, Worker } from "node:worker_threads";
import type { MeterSlots } from "../../serving/metrics.ts";
import { workerEntry } from "../../worker-entries.ts";
import type { Shared } from "../shared.ts";
import { type WorkerThread, wrapThread } from "../thread.ts";

/** The worker data of a serving thread. The ports are channels to the main thread; `lease` only in a cluster. */
export interface ServingTask {
  readonly shared: Shared;
  readonly meters: MeterSlots;
  readonly publishing: MessagePort;
  readonly control: MessagePort;
  readonly lease: MessagePort | null;
}

export type ServingMethods = {
  /** Opens the listeners, and returns the port. */
  readonly listen: () => Promise<number>;
  /** Presents the current certificates from the next connection on. */
  readonly present: () => Promise<void>;
  /** Resolves when the event loop responds. */
  readonly ping: () => Promise<void>;
  /**
   * For `delay` milliseconds it reports not ready, and closes each connection after its next response. Then it refuses
   * new connections, and resolves when the running requests are finished.
   */
  readonly drain: (delay: number) => Promise<void>;
};

/** The main thread's handle of a serving thread. Every method rejects once the thread has ended. */
export interface ServingThread {
  present(): Promise<void>;
  ping(): Promise<void>;
  /** Drains like `ServingMethods`, and ends the thread. */
  drain(delay?: number): Promise<void>;
  /** Terminates the thread at once. */
  end(): void;
}

/** Starts the worker of a serving thread. */
export function newServingWorker(task: ServingTask): WorkerThread {
  const transferList = [task.publishing, task.control, ...(task.lease ? [task.lease] : [])];
  return new Worker(workerEntry("serve"), { workerData: task, transferList });
}

/**
 * Resolves when the thread listens; rejects with the reason if it cannot. `lost` is called if the thread
 * ends unexpectedly.
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
      // A thread that dies while it drains counts as drained.
      await call("drain", delay).catch(() => {});
      endNow();
    },
    end: endNow,
  };
}
