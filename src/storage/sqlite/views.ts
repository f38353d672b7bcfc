import { MAX_NAMES } from "../../domain/analytics/view-deltas.ts";
import { dayOfHour, NAMED_COUNTS, type NamedCount, type ViewDelta } from "../../domain/model/view-delta.ts";
import { VisitorSketch } from "../../domain/model/visitor-sketch.ts";
import type { ViewBatch, ViewStore } from "../../domain/ports/store/views.ts";
import type { Connection } from "./connection.ts";

interface CountsRow {
  readonly views: number;
  readonly botViews: number;
  readonly bytes: number;
  readonly visitors: Uint8Array;
}

type Period = "day" | "hour";

export function viewStore(connection: Connection): ViewStore {
  const { raw, write, writeRelaxed } = connection;
  const days = countsReader(connection, "day");
  const hours = countsReader(connection, "hour");
  const top = raw.prepare<{ name: string; count: number }, [number, string, number, number, number]>(
    `SELECT name, sum(count) AS count FROM view_names WHERE site_id = ? AND kind = ? AND day BETWEEN ? AND ?
       GROUP BY name ORDER BY sum(count) DESC, name LIMIT ?`,
  );
  const knownSalt = raw.prepare<{ salt: string }, [number]>("SELECT salt FROM view_salts WHERE day = ?");
  const addDelta = deltaWriter(connection);
  const isNew = batchWriter(connection);
  const addOnce = (deltas: readonly ViewDelta[], batch: ViewBatch | undefined) => () => {
    if (batch && !isNew(batch)) return;
    for (const delta of deltas) addDelta(delta);
  };

  return {
    add: (deltas, batch) => write(addOnce(deltas, batch)),
    addRelaxed: (deltas, batch) => writeRelaxed(addOnce(deltas, batch)),
    days: async (siteId, from, to) => days(siteId, from, to),
    hours: async (siteId, from, to) => hours(siteId, from, to),

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

    async deleteBefore(day) {
      await write(() => {
        raw.run("DELETE FROM view_days WHERE day < ?", [day]);
        raw.run("DELETE FROM view_names WHERE day < ?", [day]);
      });
    },

    async deleteHoursBefore(hour) {
      await write(() => {
        raw.run("DELETE FROM view_hours WHERE hour < ?", [hour]);
        raw.run("DELETE FROM view_writers WHERE hour < ?", [hour]);
      });
    },
  };
}

// --- internal ---

/** Returns a function that reads the counts of a site by day or by hour, in order. */
function countsReader<P extends Period>({ raw }: Connection, period: P) {
  const query = raw.prepare<CountsRow & Readonly<Record<P, number>>, [number, number, number]>(
    `SELECT ${period}, views, bot_views AS botViews, bytes, visitors FROM view_${period}s
       WHERE site_id = ? AND ${period} BETWEEN ? AND ? ORDER BY ${period}`,
  );
  return (siteId: number, from: number, to: number) =>
    query.all(siteId, from, to).map((row) => ({ ...row, visitors: VisitorSketch.fromBytes(row.visitors) }));
}

/** Returns a function that records a batch as its writer's latest. It returns false if it was recorded before. */
function batchWriter({ raw }: Connection): (batch: ViewBatch) => boolean {
  const record = raw.prepare<void, [string, number]>(
    `INSERT INTO view_writers (writer, batch, hour) VALUES (?, ?, unixepoch() / 3600)
       ON CONFLICT DO UPDATE SET batch = excluded.batch, hour = excluded.hour WHERE batch < excluded.batch`,
  );
  return ({ writer, number }) => record.run(writer, number).changes > 0;
}

/** Returns a function that adds one delta, inside a transaction. */
function deltaWriter(connection: Connection): (delta: ViewDelta) => void {
  const { raw } = connection;
  const addTotal = raw.prepare<void, [number, number]>("UPDATE sites SET total_views = total_views + ? WHERE id = ?");
  const addToDay = countsWriter(connection, "day");
  const addToHour = countsWriter(connection, "hour");
  const addName = nameWriter(raw);

  return (delta) => {
    const { siteId, hour } = delta;
    const day = dayOfHour(hour);
    // No row was changed, because the site was deleted while its visits were counted.
    if (addTotal.run(delta.views, siteId).changes === 0) return;
    addToDay(day, delta);
    addToHour(hour, delta);
    for (const kind of NAMED_COUNTS) {
      for (const [name, count] of delta.named[kind]) addName(siteId, day, kind, name, count);
    }
  };
}

/** Returns a function that adds a delta to the counts of a day or an hour. */
function countsWriter({ raw }: Connection, period: Period) {
  const add = raw.prepare<{ visitors: Uint8Array }, [number, number, number, number, number]>(
    `INSERT INTO view_${period}s (site_id, ${period}, views, bot_views, bytes, visitors) VALUES (?, ?, ?, ?, ?, x'')
       ON CONFLICT DO UPDATE SET views = views + excluded.views, bot_views = bot_views + excluded.bot_views,
         bytes = bytes + excluded.bytes RETURNING visitors`,
  );
  const setVisitors = raw.prepare<void, [Uint8Array, number, number]>(
    `UPDATE view_${period}s SET visitors = ? WHERE site_id = ? AND ${period} = ?`,
  );
  return (at: number, { siteId, views, botViews, bytes, visitors }: ViewDelta): void => {
    const before = add.get(siteId, at, views, botViews, bytes)!;
    const merged = VisitorSketch.fromBytes(before.visitors);
    merged.merge(visitors);
    setVisitors.run(merged.toBytes(), siteId, at);
  };
}

/** Returns a function that counts a name; a new one only below the limit. */
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
