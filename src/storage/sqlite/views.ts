import { MAX_NAMES, NAMED_COUNTS, type NamedCount, type ViewDelta } from "../../domain/analytics/view-deltas.ts";
import { VisitorSketch } from "../../domain/analytics/visitor-sketch.ts";
import type { ViewStore } from "../../domain/ports/store/views.ts";
import type { Connection } from "./connection.ts";

interface DayRow {
  readonly day: number;
  readonly views: number;
  readonly botViews: number;
  readonly bytes: number;
  readonly visitors: Uint8Array;
}

export function viewStore(connection: Connection): ViewStore {
  const { raw, write, writeRelaxed } = connection;
  const days = raw.prepare<DayRow, [number, number, number]>(
    `SELECT day, views, bot_views AS botViews, bytes, visitors FROM view_days
       WHERE site_id = ? AND day BETWEEN ? AND ? ORDER BY day`,
  );
  const top = raw.prepare<{ name: string; count: number }, [number, string, number, number, number]>(
    `SELECT name, sum(count) AS count FROM view_names WHERE site_id = ? AND kind = ? AND day BETWEEN ? AND ?
       GROUP BY name ORDER BY sum(count) DESC, name LIMIT ?`,
  );
  const knownSalt = raw.prepare<{ salt: string }, [number]>("SELECT salt FROM view_salts WHERE day = ?");
  const addDelta = deltaWriter(connection);
  const addAll = (deltas: readonly ViewDelta[]) => () => {
    for (const delta of deltas) addDelta(delta);
  };

  return {
    add: (deltas) => write(addAll(deltas)),
    addForgettable: (deltas) => writeRelaxed(addAll(deltas)),

    async days(siteId, from, to) {
      return days
        .all(siteId, from, to)
        .map(({ visitors, ...day }) => ({ ...day, visitors: VisitorSketch.fromBytes(visitors) }));
    },

    async top(siteId, kind, { from, to }, limit) {
      return top.all(siteId, kind, from, to, limit);
    },

    async salt(day, candidate) {
      return write(() => {
        raw.run("INSERT OR IGNORE INTO view_salts (day, salt) VALUES (?, ?)", [day, candidate]);
        raw.run("DELETE FROM view_salts WHERE day < ?", [day]);
        return knownSalt.get(day)!.salt;
      });
    },

    async forgetBefore(day) {
      await write(() => {
        raw.run("DELETE FROM view_days WHERE day < ?", [day]);
        raw.run("DELETE FROM view_names WHERE day < ?", [day]);
      });
    },
  };
}

// --- internal ---

/** Returns what adds one delta, inside a transaction. */
function deltaWriter({ raw }: Connection): (delta: ViewDelta) => void {
  const addTotal = raw.prepare<void, [number, number]>("UPDATE sites SET total_views = total_views + ? WHERE id = ?");
  const addDay = raw.prepare<{ visitors: Uint8Array }, [number, number, number, number, number]>(
    `INSERT INTO view_days (site_id, day, views, bot_views, bytes, visitors) VALUES (?, ?, ?, ?, ?, x'')
       ON CONFLICT DO UPDATE SET views = views + excluded.views, bot_views = bot_views + excluded.bot_views,
         bytes = bytes + excluded.bytes RETURNING visitors`,
  );
  const setVisitors = raw.prepare<void, [Uint8Array, number, number]>(
    "UPDATE view_days SET visitors = ? WHERE site_id = ? AND day = ?",
  );
  const addName = nameWriter(raw);

  return ({ siteId, day, ...delta }) => {
    // No row changed: the site was deleted while its visits were counted.
    if (addTotal.run(delta.views, siteId).changes === 0) return;
    const before = addDay.get(siteId, day, delta.views, delta.botViews, delta.bytes)!;
    const visitors = VisitorSketch.fromBytes(before.visitors);
    visitors.merge(delta.visitors);
    setVisitors.run(visitors.toBytes(), siteId, day);
    for (const kind of NAMED_COUNTS) {
      for (const [name, count] of delta.named[kind]) addName(siteId, day, kind, name, count);
    }
  };
}

/** Returns what counts a name; a new one only while there is room for it. */
function nameWriter(raw: Connection["raw"]) {
  const addKnown = raw.prepare<void, [number, number, number, string, string]>(
    "UPDATE view_names SET count = count + ? WHERE site_id = ? AND day = ? AND kind = ? AND name = ?",
  );
  const known = raw.prepare<{ names: number }, [number, number, string]>(
    "SELECT count(*) AS names FROM view_names WHERE site_id = ? AND day = ? AND kind = ?",
  );
  const insert = raw.prepare<void, [number, number, string, string, number]>(
    "INSERT INTO view_names (site_id, day, kind, name, count) VALUES (?, ?, ?, ?, ?)",
  );
  return (siteId: number, day: number, kind: NamedCount, name: string, count: number): void => {
    if (addKnown.run(count, siteId, day, kind, name).changes > 0) return;
    if (known.get(siteId, day, kind)!.names < MAX_NAMES[kind]) insert.run(siteId, day, kind, name, count);
  };
}
