import { type Methods, type Port, type Remote, remote } from "./rpc.ts";

/** A worker thread, narrowed to what is needed here: a `Worker` of node:worker_threads. */
export interface WorkerThread extends Port {
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  terminate(): unknown;
  unref(): void;
}

/** A running thread whose methods can be called. */
export interface Thread<M extends Methods> {
  /** Rejects at once when the thread has ended, and with the reason when it ends before it answers. */
  readonly call: Remote<M>["call"];
  /** Ends the thread, whatever it does; calls without an answer are rejected with the reason. */
  end(reason: string): void;
  /** Resolves with the reason once the thread has ended. */
  readonly ended: Promise<string>;
}

/** Wraps a worker thread. A thread with nothing to do does not keep the process running. */
export function wrapThread<M extends Methods>(worker: WorkerThread): Thread<M> {
  worker.unref();
  const { call, fail } = remote<M>(worker);
  const ended = Promise.withResolvers<string>();
  let failure: Error | null = null;
  const end = (reason: string) => {
    if (failure) return;
    failure = new Error(`the thread ended: ${reason}`);
    worker.terminate();
    fail(failure);
    ended.resolve(reason);
  };
  worker.on("error", (error) => end(error.stack ?? error.message));
  worker.on("exit", () => end("it exited"));
  return {
    call: (...request) => (failure ? Promise.reject(failure) : call(...request)),
    end,
    ended: ended.promise,
  };
}
