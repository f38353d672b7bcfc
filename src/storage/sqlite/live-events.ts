import type { Database } from "bun:sqlite";
import type { LiveEvent, NewLiveEvent, SiteAudience } from "../../domain/model/live-event.ts";
import type { LiveEventStore } from "../../domain/ports/store/live-events.ts";
import type { Connection } from "./connection.ts";

/**
 * Milliseconds between reads of the newest id, which take 2 µs. Polling finds the changes of all threads and processes.
 * A signal between threads would not reach changes by commands on the data folder.
 */
const LOOK_INTERVAL_MS = 40;

interface Row {
  readonly id: number;
  readonly at: number;
  readonly type: LiveEvent["type"];
  readonly audience: LiveEvent["audience"];
  readonly site_id: number | null;
  readonly site_name: string | null;
  readonly user_ids: string;
  readonly details: string;
}

const ADD = `
  INSERT INTO live_events (at, type, audience, site_id, site_name, user_ids, details) VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** Adds events to the log, in the transaction of the change. */
export function addLiveEvents(raw: Database, events: readonly NewLiveEvent[]): void {
  if (events.length === 0) return;
  const add = raw.query<void, (string | number | null)[]>(ADD);
  const at = Date.now();
  for (const { type, audience, siteId, siteName, userIds, details } of events) {
    add.run(at, type, audience, siteId, siteName, JSON.stringify(userIds), JSON.stringify(details));
  }
}

/** The users who may read a private site. */
const READERS = `
  SELECT user_id AS id FROM readers JOIN sites ON sites.id = site_id WHERE site_id = ? AND private = 1 ORDER BY user_id`;

export function liveEventStore({ raw, write }: Connection): LiveEventStore {
  const newest = raw.prepare<{ id: number }, []>("SELECT id FROM live_events ORDER BY id DESC LIMIT 1");
  const given = raw.prepare<{ id: number }, []>("SELECT seq AS id FROM sqlite_sequence WHERE name = 'live_events'");
  const after = raw.prepare<Row, [number, number]>("SELECT * FROM live_events WHERE id > ? ORDER BY id LIMIT ?");
  const site = raw.prepare<{ siteName: string; ownerId: number }, [number]>(
    "SELECT name AS siteName, owner_id AS ownerId FROM sites WHERE id = ?",
  );
  const readers = raw.prepare<{ id: number }, [number]>(READERS);
  const drop = raw.prepare<void, [number, number]>("DELETE FROM live_events WHERE id <= ? OR at < ?");
  const newestId = () => newest.get()?.id ?? given.get()?.id ?? 0;
  const isOld = raw.prepare<unknown, [number]>(
    "SELECT 1 FROM (SELECT at FROM live_events ORDER BY id LIMIT 1) WHERE at < ?",
  );
  const isLong = raw.prepare<unknown, [number]>("SELECT 1 FROM live_events LIMIT 1 OFFSET ?");

  return {
    newestId: async () => newestId(),

    async after(id, maxAge, limit) {
      // Read first, so that an event that another thread adds meanwhile is not taken for a dropped one.
      const newest = newestId();
      const rows = after.all(id, limit);
      const [first] = rows;
      if (first) return first.id === id + 1 && first.at >= Date.now() - maxAge ? rows.map(toEvent) : null;
      return id === newest ? [] : null;
    },

    async audienceOf(siteId): Promise<SiteAudience | null> {
      const found = site.get(siteId);
      return found && { ...found, readerIds: readers.all(siteId).map(({ id }) => id) };
    },

    watch(listener) {
      let known = newestId();
      const look = () => {
        const now = newestId();
        if (now === known) return;
        known = now;
        listener();
      };
      const timer = setInterval(() => {
        try {
          look();
        } catch {
          // An error of the disk, which requests report. Thrown from a timer, it would end the thread.
        }
      }, LOOK_INTERVAL_MS);
      timer.unref();
      return () => clearInterval(timer);
    },

    async deleteOld(maxAge, most) {
      const before = Date.now() - maxAge;
      // Most runs find little to delete and need not write.
      if (isOld.get(before) === null && isLong.get(most) === null) return 0;
      return write(() => drop.run(newestId() - most, before).changes);
    },
  };
}

// --- internal ---

function toEvent({ site_id, site_name, user_ids, details, at: _, ...row }: Row): LiveEvent {
  return {
    ...row,
    siteId: site_id,
    siteName: site_name,
    userIds: JSON.parse(user_ids) as number[],
    details: JSON.parse(details) as LiveEvent["details"],
  };
}
