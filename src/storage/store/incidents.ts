import { inArray } from "drizzle-orm";
import type { IncidentStore } from "../../domain/ports/store/incidents.ts";
import type { Connection } from "./connection.ts";
import { noteForOperator } from "./outbox.ts";
import { first } from "./rows.ts";
import { incidents } from "./schema.ts";

export function incidentStore({ read, write }: Connection): IncidentStore {
  return {
    async listNames() {
      const rows = await read((db) => db.select({ name: incidents.name }).from(incidents));
      return rows.map(({ name }) => name);
    },

    change: ({ begun, over }, at) =>
      write(async (tx) => {
        if (over.length > 0) await tx.delete(incidents).where(inArray(incidents.name, over));
        const opened: string[] = [];
        for (const { name, event } of begun) {
          const added = tx.insert(incidents).values({ name, since: at }).onConflictDoNothing();
          if (!(await first(added.returning({ name: incidents.name })))) continue;
          await noteForOperator(tx, at, event);
          opened.push(name);
        }
        return opened;
      }),
  };
}
