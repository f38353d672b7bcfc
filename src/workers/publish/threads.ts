import { callOver, type Port } from "./calls.ts";

/** A worker thread that answers calls, narrowed to what is needed here: a `Worker` of `node:worker_threads`. */
export interface WorkerThread extends Port {
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  terminate(): unknown;
  unref(): void;
}

/** A thread that was taken, and belongs to whoever took it until it is given back. */
export interface Taken<Job, Value> {
  /** The buffers of `transfer` go along, and are no longer the caller's. */
  call(job: Job, transfer?: ArrayBuffer[]): Promise<Value>;
}

interface Member<Job, Value> extends Taken<Job, Value> {
  /** Ends the thread; calls that it has not answered are rejected with the reason. */
  end(reason: string): void;
  alive: boolean;
  idleTimer: ReturnType<typeof setTimeout> | null;
}

/**
 * Threads that are started when they are needed and ended when they had nothing to do for `idleMs`. One that dies
 * fails the call it had, and makes room for a new one.
 */
export class Threads<Job, Value> {
  readonly #members = new Set<Member<Job, Value>>();
  readonly #idle: Member<Job, Value>[] = [];
  #closed = false;

  constructor(
    readonly start: () => WorkerThread,
    readonly max: number,
    readonly idleMs: number,
  ) {}

  /** Returns a thread with nothing to do, or null when all are taken or `close` was called. */
  take(): Taken<Job, Value> | null {
    if (this.#closed) return null;
    const member = this.#idle.pop() ?? (this.#members.size < this.max ? this.#startMember() : null);
    if (member?.idleTimer) clearTimeout(member.idleTimer);
    return member;
  }

  giveBack(taken: Taken<Job, Value>): void {
    const member = taken as Member<Job, Value>;
    if (!member.alive) return;
    this.#idle.push(member);
    member.idleTimer = setTimeout(() => member.end("it had nothing to do"), this.idleMs);
    member.idleTimer.unref();
  }

  /** Ends all threads, whatever they do. */
  close(): void {
    this.#closed = true;
    for (const member of this.#members) member.end("the program is ending");
  }

  #startMember(): Member<Job, Value> {
    const thread = this.start();
    // A thread with nothing to do must not keep the program running.
    thread.unref();
    const { call, fail } = callOver<Job, Value>(thread);
    const end = (reason: string) => {
      if (!member.alive) return;
      member.alive = false;
      this.#members.delete(member);
      if (this.#idle.includes(member)) this.#idle.splice(this.#idle.indexOf(member), 1);
      if (member.idleTimer) clearTimeout(member.idleTimer);
      thread.terminate();
      fail(new Error(`the thread ended: ${reason}`));
    };
    const member: Member<Job, Value> = { call, end, alive: true, idleTimer: null };
    thread.on("error", (error) => end(error.stack ?? error.message));
    thread.on("exit", () => end("it exited"));
    this.#members.add(member);
    return member;
  }
}
