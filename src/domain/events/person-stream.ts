import type { SessionInForce } from "../accounts/authenticate.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { LiveEvent } from "../model/live-event.ts";
import type { User } from "../model/user.ts";
import type { Timers } from "../ports/timers.ts";
import { MINUTE, SECOND } from "../timestamp.ts";
import { type Message, RESET } from "./message.ts";

/** The data for one write. Without messages it is a comment that keeps the connection open. */
export interface Chunk {
  readonly messages: readonly Message[];
  /** The id of the last event that was sent to the client or was not for it. */
  readonly position: number;
}

/** The stream of one client. */
export interface EventStream {
  /**
   * Waits for messages or a comment and returns them; null once the stream has ended. Must not be called concurrently.
   */
  next(): Promise<Chunk | null>;
  /** Ends the stream. Idempotent. */
  close(): void;
}

/** A client that reads nothing receives `reset` instead of all missed events. */
const MAX_WAITING = 100;

/** Proxies close connections that are silent for longer. */
const COMMENT_EVERY_MS = 20 * SECOND;

/** A client that reads nothing for this long is considered disconnected. */
const STALLED_AFTER_MS = MINUTE;

interface Ports {
  /** Returns the message that the user may receive for an event now, or null. */
  see(event: LiveEvent, user: User): Promise<Message | null>;
  leave(): void;
  end(stream: PersonStream): void;
  readonly timers: Pick<Timers, "elapsed">;
}

/** The stream of one user. Access is looked up, and messages are rendered, only when the client reads. */
export class PersonStream implements EventStream {
  user: User;
  readonly sessionId: number;
  #sessionUntil = 0;
  /** Null until the stream has started. */
  #position: number | null = null;
  #first: readonly Message[] = [];
  #waiting: LiveEvent[] = [];
  /** True if there may be something to send. */
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

  /** Starts the stream after an event, with the messages that the client missed. */
  begin(position: number, missed: readonly Message[]): void {
    this.#position = position;
    this.#first = missed;
    this.#waiting = this.#waiting.filter(({ id }) => id > position);
    this.#isComment = true;
    this.#markNews();
  }

  /** Adds an event, unless it was already sent. */
  offer(event: LiveEvent): void {
    if (this.#position !== null && event.id <= this.#position) return;
    if (this.#isLost || this.#waiting.length >= MAX_WAITING) {
      this.lose(event.id);
      return;
    }
    this.#waiting.push(event);
    this.#markNews();
  }

  /** Records that the client missed events, up to this one. */
  lose(position: number): void {
    this.#waiting = [];
    this.#isLost = true;
    if (this.#position !== null) this.#position = position;
    this.#markNews();
  }

  /** Sends a comment, so that the connection stays open. `position` is the newest event of all. */
  comment(position: number): void {
    if (this.#position !== null && this.#waiting.length === 0) this.#position = Math.max(this.#position, position);
    this.#isComment = true;
    this.#markNews();
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

  /** Called by the owner of the streams; others call `close`. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting = [];
    this.ports.leave();
    this.#markNews();
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

  #markNews(): void {
    this.#isNews = true;
    this.#wake?.();
    this.#wake = null;
  }
}
