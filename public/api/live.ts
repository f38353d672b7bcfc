import { EventLines, type ServerEvent } from "./event-lines.ts";

/** The browser functions of a connection, which tests replace. */
interface LivePorts {
  /** Sends the request; rejects if there is no response. */
  connect(lastId: string, signal: AbortSignal): Promise<Response>;
  isHidden(): boolean;
  /** Calls `run` later. Returns a function that prevents it. */
  later(milliseconds: number, run: () => void): () => void;
  random(): number;
  /** Handles events as they arrive. */
  changed(events: readonly ServerEvent[]): void;
  /** Called when the server does not respond any more. */
  lost(): void;
}

/** The server sends a comment every 20 seconds. */
const SILENT_MS = 45_000;

const RETRY_MS = [1000, 2000, 5000, 15_000, 60_000] as const;

/** Statuses after which a retry is useless for a while: the session has ended, or has too many streams. */
const REFUSED_MS = 60_000;

/** The tab's one connection to the event stream; none while the tab is hidden. */
export class LiveConnection {
  /** True if changes arrive as events. */
  isOpen = false;
  #lines = new EventLines();
  #failures = 0;
  #connection: AbortController | null = null;
  #cancelRetry: (() => void) | null = null;

  constructor(private readonly ports: LivePorts) {}

  /** Connects or disconnects, as the tab is visible or hidden. */
  update(): void {
    if (this.ports.isHidden()) this.close();
    else if (this.#connection === null && this.#cancelRetry === null) void this.#connect();
  }

  /** Connects at once if it is waiting for the next attempt. */
  retryNow(): void {
    this.#stopWaiting();
    this.update();
  }

  close(): void {
    this.#stopWaiting();
    const former = this.#connection;
    this.#connection = null;
    this.isOpen = false;
    former?.abort();
  }

  async #connect(): Promise<void> {
    const connection = new AbortController();
    this.#connection = connection;
    const wait = await this.#read(connection).catch(() => null);
    // Closed meanwhile, because the tab was hidden.
    if (this.#connection !== connection) return;
    const wasOpen = this.isOpen;
    this.close();
    if (wasOpen) this.ports.lost();
    this.#cancelRetry = this.ports.later(wait ?? this.#nextWait(), () => this.retryNow());
  }

  /** Resolves at the end of the stream, with the retry interval if the server sent one. */
  async #read(connection: AbortController): Promise<number | null> {
    const response = await this.ports.connect(this.#lines.lastId, connection.signal);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (!response.ok || !isStream || !response.body) {
      await response.body?.cancel();
      return REFUSED_MS;
    }
    this.isOpen = true;
    this.#failures = 0;
    // Without the rest of an event that the former stream did not complete.
    this.#lines = new EventLines(this.#lines.lastId);
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    // A stream that the abort has broken rejects with the same error again.
    connection.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
    for (;;) {
      const cancel = this.ports.later(SILENT_MS, () => void reader.cancel());
      const { value, done } = await reader.read().finally(cancel);
      if (done || this.#connection !== connection) return null;
      const events = this.#lines.read(decoder.decode(value, { stream: true }));
      if (events.length > 0) this.ports.changed(events);
    }
  }

  /** With jitter, because all tabs lose the connection at the same time. */
  #nextWait(): number {
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] as number;
    this.#failures += 1;
    return wait * (0.75 + this.ports.random() / 2);
  }

  #stopWaiting(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }
}
