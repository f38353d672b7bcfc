import { findSessionInForce } from "../accounts/authenticate.ts";
import type { SessionCaller } from "../accounts/caller.ts";
import { DomainError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { StreamPlaces } from "../ports/stream-places.ts";
import type { Timers } from "../ports/timers.ts";
import { SECOND } from "../timestamp.ts";
import { HISTORY_MS } from "./history.ts";
import { type LiveEvent, recipients, type SiteAudience } from "./live-event.ts";
import { messageFor, RESET } from "./message.ts";
import { type EventStream, PersonStream } from "./person-stream.ts";

interface Ports {
  readonly store: Pick<Store, "liveEvents" | "sessions">;
  readonly places: StreamPlaces;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Logs an unexpected error. */
  readonly report: (error: unknown) => void;
}

/** The event streams of one thread. */
export interface EventStreams {
  /**
   * Opens a stream that begins after `lastEventId`; with null, or what is no id, with the next change. Throws
   * `too_many_requests` over the session's limit, and `unavailable` over that of all or while the server stops.
   */
  open(caller: SessionCaller, lastEventId: string | null): Promise<EventStream>;
  /** Ends all streams: their clients open others, where they were. */
  endAll(): void;
  /** Ends all streams, and opens no others. */
  stop(): void;
}

/** Events read from the log at once. */
const PAGE = 500;

/** A client that missed more looks at everything again, which costs less. */
const MAX_REPLAY = 1000;

/** How often a thread looks which streams are due for a comment, or whose session is over. */
const ROUND_MS = SECOND;

export function makeEventStreams(ports: Ports): EventStreams {
  return new ThreadStreams(ports);
}

// --- internal ---

class ThreadStreams implements EventStreams {
  readonly #streams = new Set<PersonStream>();
  /** The newest event that was given to the streams. */
  #seen = 0;
  /** Ends the reading of the log; null while no stream is open. */
  #following: Promise<() => void> | null = null;
  #isStopped = false;

  constructor(private readonly ports: Ports) {}

  async open(caller: SessionCaller, lastEventId: string | null): Promise<EventStream> {
    if (this.#isStopped) throw new DomainError("unavailable", "the server is stopping: connect again in a moment");
    const stream = new PersonStream(caller, {
      see: async (event, user) => messageFor(event, await this.#audienceOf(event), user),
      leave: this.ports.places.take(caller.sessionId),
      end: (ended) => this.#end(ended),
      timers: this.ports.timers,
    });
    try {
      this.#streams.add(stream);
      this.#following ??= this.#follow();
      await this.#following;
      await this.#begin(stream, lastEventId);
      await this.#check(stream);
    } catch (error) {
      this.#end(stream);
      throw error;
    }
    return stream;
  }

  endAll(): void {
    for (const stream of [...this.#streams]) this.#end(stream);
  }

  stop(): void {
    this.#isStopped = true;
    this.endAll();
  }

  #end(stream: PersonStream): void {
    if (!this.#streams.delete(stream)) return;
    stream.end();
    if (this.#streams.size > 0) return;
    const former = this.#following;
    this.#following = null;
    void former?.then(
      (stop) => stop(),
      // Whoever opened the stream gets the error.
      () => {},
    );
  }

  /** Gives what is new to the streams; returns what ends this. */
  async #follow(): Promise<() => void> {
    const { liveEvents } = this.ports.store;
    this.#seen = await liveEvents.newestId();
    const look = inTurn(() => this.#giveNew().catch(this.ports.report));
    const unwatch = liveEvents.watch(look);
    // Something may have been added before this thread watched.
    look();
    const ended = new AbortController();
    void this.#goRound(ended.signal);
    return () => {
      unwatch();
      ended.abort();
    };
  }

  async #giveNew(): Promise<void> {
    const { liveEvents } = this.ports.store;
    for (;;) {
      const events = await liveEvents.after(this.#seen, Number.MAX_SAFE_INTEGER, PAGE);
      if (events === null) {
        this.#seen = await liveEvents.newestId();
        for (const stream of this.#streams) stream.lose(this.#seen);
        return;
      }
      if (events.length === 0) return;
      for (const event of events) await this.#give(event);
    }
  }

  async #give(event: LiveEvent): Promise<void> {
    const people = recipients(event, await this.#audienceOf(event));
    this.#seen = event.id;
    const isMeant = ({ user }: PersonStream) => (people === null ? user.operator : people.includes(user.id));
    const meant = [...this.#streams].filter(isMeant);
    if (event.audience === "sessions") await Promise.all(meant.map((stream) => this.#check(stream)));
    else for (const stream of meant) stream.offer(event);
  }

  async #audienceOf({ siteId }: LiveEvent): Promise<SiteAudience | null> {
    return siteId === null ? null : this.ports.store.liveEvents.audienceOf(siteId);
  }

  /** Ends a stream whose session is over. */
  async #check(stream: PersonStream): Promise<void> {
    const current = await findSessionInForce(this.ports, stream.sessionId);
    if (current) stream.confirm(current);
    else this.#end(stream);
  }

  async #goRound(ended: AbortSignal): Promise<void> {
    const { clock, timers, report } = this.ports;
    while (!ended.aborted) {
      await timers.wait(ROUND_MS, ended);
      const [now, elapsed] = [clock.now(), timers.elapsed()];
      for (const stream of this.#streams) {
        const isCommentDue = stream.isCommentDue(elapsed);
        if (stream.isStalled(elapsed)) this.#end(stream);
        else if (isCommentDue || stream.isSessionOver(now)) await this.#check(stream).catch(report);
        if (isCommentDue) stream.comment(this.#seen);
      }
    }
  }

  async #begin(stream: PersonStream, lastEventId: string | null): Promise<void> {
    if (lastEventId === null) return stream.begin(this.#seen, []);
    const missed = await this.#missedSince(lastEventId);
    if (missed === null) return stream.begin(this.#seen, [{ ...RESET, id: this.#seen }]);
    const messages = await stream.messagesOf(missed);
    stream.begin(missed.at(-1)?.id ?? Number(lastEventId), messages);
  }

  /** Returns what happened since the client left; null if that is not known any more. */
  async #missedSince(lastEventId: string): Promise<readonly LiveEvent[] | null> {
    if (!/^\d{1,15}$/.test(lastEventId)) return null;
    const events = await this.ports.store.liveEvents.after(Number(lastEventId), HISTORY_MS, MAX_REPLAY);
    return events && events.length < MAX_REPLAY ? events : null;
  }
}

/** Returns a function that runs `work`, once at a time; asked meanwhile, it runs once more. */
function inTurn(work: () => Promise<void>): () => void {
  let isAsked = false;
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (isAsked) {
      isAsked = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isAsked = true;
    if (!isRunning) void run();
  };
}
