import type { MessagePort } from "node:worker_threads";
import type { MeterSlots } from "../../serving/request-meters.ts";
import type { Shared } from "../shared.ts";
import type { Answer, Order } from "./messages.ts";

/** The main thread's end of a serving thread. */
export interface ThreadHandle {
  /**
   * Has the thread present the certificates as they are now; rejects with the reason when it cannot, or has ended. One at
   * a time.
   */
  present(): Promise<void>;
  /** Resolves when the thread's event loop has had its turn; rejects when the thread has ended. One at a time. */
  answer(): Promise<void>;
  /**
   * Is not ready for `delay` milliseconds, during which it answers as before; then it takes no new connections, lets
   * running requests finish, and ends.
   */
  drain(delay?: number): Promise<void>;
  /** Ends the thread at once, whatever runs in it. */
  end(): void;
}

/**
 * Starts one serving thread and resolves when it listens; rejects with the reason when it cannot. `lost` is called when
 * the thread ends unasked.
 */
export function startServingThread(
  worker: Worker,
  shared: Shared,
  { publishing, meters }: { readonly publishing: MessagePort; readonly meters: MeterSlots },
  lost: (reason: string) => void,
): Promise<ThreadHandle> {
  const drained = Promise.withResolvers<void>();
  let presented = Promise.withResolvers<void>();
  let answered = Promise.withResolvers<void>();
  let ended: Error | null = null;
  let expected = false;
  return new Promise((resolve, reject) => {
    const end = (reason: string) => {
      ended = new Error(reason);
      reject(ended);
      drained.resolve();
      for (const awaited of [presented, answered]) {
        awaited.reject(ended);
        awaited.promise.catch(() => {});
      }
      if (!expected) lost(reason);
    };
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      if (data.kind === "ready") resolve({ present, answer, drain, end: terminate });
      else if (data.kind === "failed") {
        terminate();
        reject(new Error(data.message));
      } else if (data.kind === "presented") {
        if (data.error === null) presented.resolve();
        else presented.reject(new Error(data.error));
      } else if (data.kind === "answered") answered.resolve();
      else if (data.kind === "drained") drained.resolve();
    });
    worker.addEventListener("error", (event) => end(event.message));
    worker.addEventListener("close", () => end("the thread ended"));
    worker.postMessage({ kind: "start", shared, publishing, meters } satisfies Order, [publishing]);
  });

  function present(): Promise<void> {
    if (ended) return Promise.reject(ended);
    presented = Promise.withResolvers<void>();
    post(worker, { kind: "present" });
    return presented.promise;
  }

  function answer(): Promise<void> {
    if (ended) return Promise.reject(ended);
    answered = Promise.withResolvers<void>();
    post(worker, { kind: "ask" });
    return answered.promise;
  }

  async function drain(delay = 0): Promise<void> {
    expected = true;
    post(worker, { kind: "drain", delay });
    await drained.promise;
    worker.terminate();
  }

  function terminate(): void {
    expected = true;
    worker.terminate();
  }
}

function post(worker: Worker, message: Order): void {
  worker.postMessage(message);
}
