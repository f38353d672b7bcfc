import type { Methods } from "./rpc.ts";
import { type Thread, type WorkerThread, wrapThread } from "./thread.ts";

interface Member<M extends Methods> {
  readonly thread: Thread<M>;
  idleTimer: ReturnType<typeof setTimeout> | null;
}

/**
 * Threads that are started when they are needed, and ended after `idleMs` without work. One that dies fails the call it
 * had, and makes room for a new one.
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

  /** Whether `run` would find a thread. */
  get hasFreeThread(): boolean {
    return !this.#closed && (this.#idle.length > 0 || this.#members.size < this.max);
  }

  /** Runs an action with a thread of its own; throws when none is free. */
  async run<Value>(action: (thread: Thread<M>) => Promise<Value>): Promise<Value> {
    if (!this.hasFreeThread) throw new Error("no thread is free");
    const member = this.#idle.pop() ?? this.#startMember();
    if (member.idleTimer) clearTimeout(member.idleTimer);
    try {
      return await action(member.thread);
    } finally {
      this.#giveBack(member);
    }
  }

  /** Ends all threads, whatever they do. */
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

  #giveBack(member: Member<M>): void {
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
