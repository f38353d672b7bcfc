import type { SessionInForce } from "../accounts/authenticate.ts";
import type { SessionCaller } from "../accounts/caller.ts";
import type { User } from "../accounts/user.ts";
import type { Timers } from "../ports/timers.ts";
import { MINUTE, SECOND } from "../timestamp.ts";
import type { LiveEvent } from "./live-event.ts";
import { type Message, RESET } from "./message.ts";

/** What a client takes at once. Without messages it keeps the connection open, and says where the client can go on. */
export interface Chunk {
  readonly messages: readonly Message[];
  /** The id of the last event that the client knows of, or that was not for it. */
  readonly position: number;
}

/** What is sent to one client. */
export interface EventStream {
  /** Waits until there is something to tell, and returns it; null once the stream has ended. Called once at a time. */
  next(): Promise<Chunk | null>;
  /** Ends the stream. Idempotent. */
  close(): void;
}

/** A client that reads nothing receives `reset` instead of everything that it missed. */
const MAX_WAITING = 100;

/** Proxies close connections that are silent for longer. */
const COMMENT_EVERY_MS = 20 * SECOND;

/** A client that takes nothing for so long is gone, or as good as gone. */
const STALLED_AFTER_MS = MINUTE;

interface Ports {
  /** Returns what the person may receive for an event now, or null. */
  see(event: LiveEvent, user: User): Promise<Message | null>;
  leave(): void;
  end(stream: PersonStream): void;
  readonly timers: Pick<Timers, "elapsed">;
}

/** The stream of one person. No access is looked up, and nothing rendered, before the client takes it. */
export class PersonStream implements EventStream {
  user: User;
  readonly sessionId: number;
  #sessionUntil = 0;
  /** Null until the stream has begun. */
  #position: number | null = null;
  #first: readonly Message[] = [];
  #waiting: LiveEvent[] = [];
  /** Whether there may be something to take. */
  #isNews = false;
  #isComment = false;
  #isLost = false;
  #isEnded = false;
  #takenAt: number;
  #wake: (() => void) | null = null;

  constructor(
    { user, sessionId }: SessionCaller,
    private readonly ports: Ports,
  ) {
    this.user = user;
    this.sessionId = sessionId;
    this.#takenAt = ports.timers.elapsed();
  }

  /** Lets the client begin behind an event, with what it missed before. */
  begin(position: number, missed: readonly Message[]): void {
    this.#position = position;
    this.#first = missed;
    this.#waiting = this.#waiting.filter(({ id }) => id > position);
    this.#isComment = true;
    this.#tell();
  }

  /** Adds an event, unless the client knows it already. */
  offer(event: LiveEvent): void {
    if (this.#position !== null && event.id <= this.#position) return;
    if (this.#isLost || this.#waiting.length >= MAX_WAITING) {
      this.lose(event.id);
      return;
    }
    this.#waiting.push(event);
    this.#tell();
  }

  /** Notes that the client misses something, up to an event. */
  lose(position: number): void {
    this.#waiting = [];
    this.#isLost = true;
    if (this.#position !== null) this.#position = position;
    this.#tell();
  }

  /** Lets the client hear that the connection is open. `position` is the newest event of all. */
  comment(position: number): void {
    if (this.#position !== null && this.#waiting.length === 0) this.#position = Math.max(this.#position, position);
    this.#isComment = true;
    this.#tell();
  }

  confirm({ user, until }: SessionInForce): void {
    this.user = user;
    this.#sessionUntil = until;
  }

  isSessionOver(now: number): boolean {
    return now >= this.#sessionUntil;
  }

  isCommentDue(elapsed: number): boolean {
    return this.#wake !== null && elapsed - this.#takenAt >= COMMENT_EVERY_MS;
  }

  isStalled(elapsed: number): boolean {
    return this.#wake === null && elapsed - this.#takenAt >= STALLED_AFTER_MS;
  }

  async next(): Promise<Chunk | null> {
    while (!this.#isEnded) {
      if (this.#isNews && this.#position !== null) {
        const isComment = this.#isComment;
        const chunk = await this.#take(this.#position);
        if (isComment || chunk.messages.length > 0) return chunk;
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return null;
  }

  close(): void {
    this.ports.end(this);
  }

  /** For whoever keeps the streams; everybody else closes them. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting = [];
    this.ports.leave();
    this.#tell();
  }

  async messagesOf(events: readonly LiveEvent[]): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (const event of events) {
      const message = await this.ports.see(event, this.user);
      if (message) messages.push(message);
    }
    return messages;
  }

  async #take(position: number): Promise<Chunk> {
    const [first, waiting, isLost] = [this.#first, this.#waiting, this.#isLost];
    this.#first = [];
    this.#waiting = [];
    this.#isLost = false;
    this.#isNews = false;
    this.#isComment = false;
    this.#position = waiting.at(-1)?.id ?? position;
    this.#takenAt = this.ports.timers.elapsed();
    if (isLost) return { messages: [{ ...RESET, id: position }], position };
    const messages = [...first, ...(await this.messagesOf(waiting))];
    return { messages, position: this.#position };
  }

  #tell(): void {
    this.#isNews = true;
    this.#wake?.();
    this.#wake = null;
  }
}
