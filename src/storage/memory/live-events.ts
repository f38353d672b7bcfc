import type { LiveEventStore } from "../../domain/ports/store/live-events.ts";
import type { Memory } from "./tables.ts";

export function liveEventStore({ liveEvents, sites, readers, watchers }: Memory): LiveEventStore {
  return {
    newestId: async () => liveEvents.lastId,

    async after(id, maxAge, limit) {
      const rows = liveEvents.filter((event) => event.id > id).slice(0, limit);
      const [first] = rows;
      if (!first) return id === liveEvents.lastId ? [] : null;
      if (first.id !== id + 1 || first.at < Date.now() - maxAge) return null;
      return rows.map(({ at: _, ...event }) => event);
    },

    async audienceOf(siteId) {
      const site = sites.find({ id: siteId });
      if (!site) return null;
      const onList = site.private ? readers.filter({ siteId }) : [];
      return { siteName: site.name, ownerId: site.ownerId, readerIds: onList.map(({ userId }) => userId) };
    },

    watch(listener) {
      const watcher = () => listener();
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },

    async deleteOld(maxAge, most) {
      const before = Date.now() - maxAge;
      return liveEvents.remove(({ id, at }) => id <= liveEvents.lastId - most || at < before).length;
    },
  };
}
