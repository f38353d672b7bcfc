import { eq, inArray } from "drizzle-orm";
import type { IncidentStore } from "../../domain/ports/store/incidents.ts";
import type { Connection } from "./connection.ts";
import { newOutbox } from "./outbox.ts";
import { incidents } from "./schema.ts";

export function incidentStore(connection: Connection): IncidentStore {
  const { db, write } = connection;
  const outbox = newOutbox(connection);
  return {
    async listNames() {
      return db
        .select({ name: incidents.name })
        .from(incidents)
        .all()
        .map(({ name }) => name);
    },

    async reconcile(current, at, isOwn) {
      const known = db.select().from(incidents).all();
      const isKnown = (name: string) => known.some((incident) => incident.name === name);
      const names = new Set(current.map(({ name }) => name));
      const over = known.flatMap(({ name }) => (names.has(name) || !isOwn(name) ? [] : [name]));
      if (over.length === 0 && [...names].every(isKnown)) return [];
      return write((tx) => {
        tx.delete(incidents).where(inArray(incidents.name, over)).run();
        const opened: string[] = [];
        for (const { name, event } of current) {
          if (tx.select().from(incidents).where(eq(incidents.name, name)).get()) continue;
          tx.insert(incidents).values({ name, since: at }).run();
          outbox.noteForOperator(at, event);
          opened.push(name);
        }
        return opened;
      });
    },
  };
}
