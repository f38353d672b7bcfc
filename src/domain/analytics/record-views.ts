import { BoundedMemo } from "../bounded-memo.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Store } from "../ports/store.ts";
import { SECOND } from "../timestamp.ts";
import { type DayCount, dayOf, NAMED_COUNTS, type PageTally, type ViewDelta, ViewDeltas } from "./view-deltas.ts";
import { hash32 } from "./visitor-sketch.ts";

interface ViewPorts {
  readonly store: Pick<Store, "views">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Lets other work of the thread go first. */
  readonly pause: () => Promise<void>;
}

/** A page that somebody looked at. */
export interface PageView {
  readonly page: PageTally;
  readonly userAgent: string | null;
  /** The visitor's IP address. Asked for only when it is needed; it is hashed at once and kept nowhere. */
  readonly address: () => string;
  readonly referrer: string | null;
  readonly host: string;
  /** The length of what was sent. */
  readonly bytes: number;
}

/** Counts views in one thread's memory, and writes them down when told to. */
export interface ViewRecorder {
  /** Adds what was no view to the traffic of a site. */
  traffic(siteId: number, bytes: number): void;
  view(siteId: number, view: PageView): void;
  missing(siteId: number, path: string, userAgent: string | null): void;
  /**
   * Writes down what was counted since the last time, after what an earlier call may still be writing. What could not be
   * written is kept for the next time.
   */
  flush(): Promise<void>;
}

/** Visitors that came before the day's salt was known: a moment's worth. */
const MAX_WAITING = 10_000;
/**
 * So many views a second have their visitor looked up; asking for the address costs as much as a fifth of an answer.
 * Under a heavier load the views still count, and visitors become a lower bound.
 */
const MAX_LOOKUPS = 1000;
/**
 * So many names are written down at once: 37,000 of a thousand busy sites held up their visitors for 140 ms every ten
 * seconds; a part takes 15. The last one waits for the disk, for all of them.
 */
const NAMES_AT_ONCE = 4000;
/** Browsers come in a few thousand versions. */
const MAX_KNOWN_AGENTS = 5000;

export function makeViewRecorder(ports: ViewPorts): ViewRecorder {
  const deltas = new ViewDeltas();
  const visitors = new VisitorHashes(ports);
  const lookups = new Budget();
  const agents = new BoundedMemo<string | null, Agent>(MAX_KNOWN_AGENTS);
  const write = async () => {
    const { views } = ports.store;
    await visitors.settle();
    const taken = deltas.take();
    for (let from = 0; from < taken.length; await ports.pause()) {
      const end = endOfPart(taken, from);
      const part = taken.slice(from, end);
      try {
        await (end === taken.length ? views.add(part) : views.addForgettable(part));
      } catch (error) {
        deltas.putBack(taken.slice(from));
        throw error;
      }
      from = end;
    }
  };
  let writing = Promise.resolve();
  const today = (siteId: number) => deltas.of(siteId, dayOf(ports.clock.now()));

  return {
    traffic(siteId, bytes) {
      if (bytes > 0) today(siteId).bytes += bytes;
    },

    view(siteId, view) {
      const now = ports.clock.now();
      const count = deltas.of(siteId, dayOf(now));
      count.bytes += view.bytes;
      const agent = agents.get(view.userAgent, describe);
      if (agent.isBot) {
        count.botViews += 1;
        return;
      }
      count.views += 1;
      count.countPage(view.page);
      const referrer = view.referrer === null ? null : referringHost(view.referrer);
      if (referrer !== null && referrer !== view.host) count.countName("referrer", referrer);
      if (lookups.allow(now)) visitors.add(count, `${view.address()} ${agent.hash}`);
    },

    missing(siteId, path, userAgent) {
      if (!agents.get(userAgent, describe).isBot) today(siteId).countName("missing", path);
    },

    flush() {
      writing = writing.then(write, write);
      return writing;
    },
  };
}

// --- internal ---

/** Returns the end of the part that begins at `from`: at least one delta, and no more names than are written at once. */
function endOfPart(deltas: readonly ViewDelta[], from: number): number {
  let names = 0;
  for (let end = from; end < deltas.length; end++) {
    for (const kind of NAMED_COUNTS) names += deltas[end]!.named[kind].size;
    if (names > NAMES_AT_ONCE) return Math.max(end, from + 1);
  }
  return deltas.length;
}

/** What is looked up once for each user agent: both take longer than all the rest of a count. */
interface Agent {
  readonly isBot: boolean;
  readonly hash: number;
}

function describe(userAgent: string | null): Agent {
  return { isBot: isBot(userAgent), hash: hash32(userAgent ?? "") };
}

/**
 * Hashes visitors with the day's salt. It is the same in all threads, so that who meets two of them is counted once;
 * until it has been read, visitors wait.
 */
class VisitorHashes {
  #salt = "";
  #day = -1;
  #loading: Promise<void> | null = null;
  #waiting: { readonly count: DayCount; readonly visitor: string }[] = [];

  constructor(private readonly ports: ViewPorts) {}

  add(count: DayCount, visitor: string): void {
    if (count.day === this.#day) count.visitors.add(hash32(this.#salt + visitor));
    else if (this.#waiting.length < MAX_WAITING) {
      this.#waiting.push({ count, visitor });
      this.#loading ??= this.#load(count.day);
    }
  }

  /** Resolves when nobody waits any more. */
  async settle(): Promise<void> {
    await this.#loading;
  }

  async #load(day: number): Promise<void> {
    const { store, secrets } = this.ports;
    try {
      this.#salt = await store.views.salt(day, secrets.sha256(secrets.random(32).join()));
      this.#day = day;
      for (const { count, visitor } of this.#waiting) count.visitors.add(hash32(this.#salt + visitor));
    } catch {
      // The store is out of order, which the flush will say: who came just now is no visitor, but still a view.
    } finally {
      this.#waiting = [];
      this.#loading = null;
    }
  }
}

/** Allows so many look-ups in each second. */
class Budget {
  #second = 0;
  #left = 0;

  allow(now: number): boolean {
    const second = Math.floor(now / SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#left = MAX_LOOKUPS;
    }
    this.#left -= 1;
    return this.#left >= 0;
  }
}

/** Returns the host of a referring page: more would say more about the visitor than about the visit. */
function referringHost(referrer: string): string | null {
  return /^https?:\/\/([a-z0-9.-]{1,253})(?::\d+)?(?:[/?#]|$)/i.exec(referrer)?.[1]?.toLowerCase() ?? null;
}

/**
 * Whether a user agent says of itself that it is no person: search engines, link previews, uptime monitors, feed
 * fetchers. Tools such as curl are used by people, and count.
 */
export function isBot(userAgent: string | null): boolean {
  return userAgent !== null && BOTS.test(userAgent);
}

/** Words that crawlers put into their names, then the ones that do without. `cubot` makes telephones. */
const BOTS =
  /(?<!cu)bot\b|bot[/;_-]|crawl|spider|slurp|archiver|mediapartners|facebookexternalhit|embedly|quora link|whatsapp|skypeuripreview|bitlybot|vkshare|w3c_validator|pingdom|uptime|statuscake|monitor|headlesschrome|lighthouse|pagespeed|feedfetcher|feedburner|google-inspectiontool|googleother|chatgpt-user|perplexity|claude-web|bytespider|scrapy|nutch|dataprovider|ia_archiver|heritrix|preview/i;
