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

    change: async ({ begun, over }, at) =>
      write((tx) => {
        tx.delete(incidents)
          .where(inArray(incidents.name, [...over]))
          .run();
        const opened: string[] = [];
        for (const { name, event } of begun) {
          if (tx.select().from(incidents).where(eq(incidents.name, name)).get()) continue;
          tx.insert(incidents).values({ name, since: at }).run();
          outbox.noteForOperator(at, event);
          opened.push(name);
        }
        return opened;
      }),
  };
}
