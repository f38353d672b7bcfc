import { type Methods, type Port, type Remote, remote } from "./rpc.ts";

/** The methods of `Worker` from node:worker_threads that are used here. */
export interface WorkerThread extends Port {
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  terminate(): unknown;
  unref(): void;
}

/** A running thread whose methods can be called. */
interface Thread<M extends Methods> {
  /** Rejects with the reason if the thread has ended, or ends before it responds. */
  readonly call: Remote<M>["call"];
  /** Terminates the thread. Pending calls reject with the reason. */
  end(reason: string): void;
  /** Resolves with the reason once the thread has ended. */
  readonly ended: Promise<string>;
}

/** Wraps a worker thread. It does not keep the process running. */
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

interface Member<M extends Methods> {
  readonly thread: Thread<M>;
  idleTimer: ReturnType<typeof setTimeout> | null;
}

/**
 * Starts threads on demand and ends them after `idleMs` without work. A thread that dies fails its current call
 * and is replaced.
 */
export class ThreadPool<M extends Methods> {
  readonly #members = new Set<Member<M>>();
  readonly #idle: Member<M>[] = [];
  #closed = false;

  constructor(
    readonly start: () => WorkerThread,
    readonly max: number,
    readonly idleMs: number,
  ) {}

  get hasFreeThread(): boolean {
    return !this.#closed && (this.#idle.length > 0 || this.#members.size < this.max);
  }

  /** Runs an action with exclusive use of a thread. Throws if none is free. */
  async run<Value>(action: (thread: Thread<M>) => Promise<Value>): Promise<Value> {
    if (!this.hasFreeThread) throw new Error("no thread is free");
    const member = this.#idle.pop() ?? this.#startMember();
    if (member.idleTimer) clearTimeout(member.idleTimer);
    try {
      return await action(member.thread);
    } finally {
      this.#release(member);
    }
  }

  /** Terminates all threads. */
  close(): void {
    this.#closed = true;
    for (const { thread } of this.#members) thread.end("the program is ending");
  }

  #startMember(): Member<M> {
    const member: Member<M> = { thread: wrapThread<M>(this.start()), idleTimer: null };
    this.#members.add(member);
    void member.thread.ended.then(() => this.#forget(member));
    return member;
  }

  #release(member: Member<M>): void {
    if (!this.#members.has(member)) return;
    this.#idle.push(member);
    member.idleTimer = setTimeout(() => member.thread.end("it had nothing to do"), this.idleMs);
    member.idleTimer.unref();
  }

  #forget(member: Member<M>): void {
    this.#members.delete(member);
    if (this.#idle.includes(member)) this.#idle.splice(this.#idle.indexOf(member), 1);
    if (member.idleTimer) clearTimeout(member.idleTimer);
  }
}
