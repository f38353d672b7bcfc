import { findSessionInForce } from "../accounts/authenticate.ts";
import { DomainError } from "../errors.ts";
import type { SessionCaller } from "../model/caller.ts";
import { type LiveEvent, recipients, type SiteAudience } from "../model/live-event.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, StreamSlots } from "../ports/system.ts";
import type { Timers } from "../ports/timers.ts";
import { SECOND } from "../timestamp.ts";
import { HISTORY_MS } from "./history.ts";
import { messageFor, RESET } from "./message.ts";
import { type EventStream, PersonStream } from "./person-stream.ts";

interface Ports {
  readonly store: Pick<Store, "liveEvents" | "sessions">;
  readonly slots: StreamSlots;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Logs an unexpected error. */
  readonly report: (error: unknown) => void;
}

/** The event streams of one thread. */
export interface EventStreams {
  /**
   * Opens a stream that starts after `lastEventId`; with null or an invalid id, with the next change. Throws
   * `too_many_requests` above the limit of the session, and `unavailable` above the limit of all sessions or while the
   * server stops.
   */
  open(caller: SessionCaller, lastEventId: string | null): Promise<EventStream>;
  /** Ends all streams. Their clients reconnect and continue. */
  endAll(): void;
  /** Ends all streams and refuses new ones. */
  stop(): void;
}

/** Events per read of the log. */
const PAGE = 500;

/** A client that missed more reloads everything, which costs less. */
const MAX_REPLAY = 1000;

/** The interval at which a thread checks which streams need a comment, or have an expired session. */
const ROUND_MS = SECOND;

export function makeEventStreams(ports: Ports): EventStreams {
  return new ThreadStreams(ports);
}

// --- internal ---

class ThreadStreams implements EventStreams {
  readonly #streams = new Set<PersonStream>();
  /** The newest event that was passed to the streams. */
  #seen = 0;
  /** True if the log could not be read, so that there may be events that nobody was told of. */
  #isBehind = false;
  /** Stops reading the log; null while no stream is open. */
  #following: Promise<() => void> | null = null;
  #isStopped = false;

  constructor(private readonly ports: Ports) {}

  async open(caller: SessionCaller, lastEventId: string | null): Promise<EventStream> {
    if (this.#isStopped) throw new DomainError("unavailable", "the server is stopping: connect again in a moment");
    const stream = new PersonStream(caller, {
      see: async (event, user) => messageFor(event, await this.#audienceOf(event), user),
      leave: this.ports.slots.take(caller.sessionId),
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
      // The caller who opened the stream gets the error.
      () => {},
    );
  }

  /** Passes new events to the streams. Returns a function that stops it. */
  async #follow(): Promise<() => void> {
    const { liveEvents } = this.ports.store;
    this.#seen = await liveEvents.newestId();
    const look = inTurn(() => this.#tryToGiveNew());
    const unwatch = liveEvents.watch(look);
    // Events may have been added before this thread started watching.
    look();
    const ended = new AbortController();
    void this.#goRound(look, ended.signal);
    return () => {
      unwatch();
      ended.abort();
    };
  }

  async #tryToGiveNew(): Promise<void> {
    try {
      await this.#giveNew();
      this.#isBehind = false;
    } catch (error) {
      this.#isBehind = true;
      this.ports.report(error);
    }
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
    return siteId === null ? null : this.ports.store.liveEvents.audienceOf(siteId, this.ports.clock.now());
  }

  /** Ends a stream if its session has expired. */
  async #check(stream: PersonStream): Promise<void> {
    const current = await findSessionInForce(this.ports, stream.sessionId);
    if (current) stream.confirm(current);
    else this.#end(stream);
  }

  async #goRound(look: () => void, ended: AbortSignal): Promise<void> {
    const { clock, timers, report } = this.ports;
    while (!ended.aborted) {
      await timers.wait(ROUND_MS, ended);
      // The watch does not call again until another event is added.
      if (this.#isBehind) look();
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

  /** Returns the events since the client's last one; null if the log does not have them any more. */
  async #missedSince(lastEventId: string): Promise<readonly LiveEvent[] | null> {
    if (!/^\d{1,15}$/.test(lastEventId)) return null;
    const events = await this.ports.store.liveEvents.after(Number(lastEventId), HISTORY_MS, MAX_REPLAY);
    return events && events.length < MAX_REPLAY ? events : null;
  }
}

/** Returns a function that runs `work`, one run at a time. Calls during a run cause one more run. */
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
