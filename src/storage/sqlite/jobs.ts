import { and, eq, gt } from "drizzle-orm";
import type { JobStore } from "../../domain/ports/store/jobs.ts";
import type { Connection } from "./connection.ts";
import { jobFailures, leases } from "./schema.ts";

export function jobStore({ db, writeRelaxed }: Connection): JobStore {
  return {
    async takeLease(name, { holder, now, until, longest, takeOver }) {
      return writeRelaxed((tx) => {
        const lease = tx.select().from(leases).where(eq(leases.name, name)).get();
        const runs = lease !== undefined && lease.endsAt > now && lease.endsAt < now + 2 * longest;
        if (runs && lease.holder !== holder && !takeOver) return false;
        const row = { name, holder, endsAt: until };
        tx.insert(leases).values(row).onConflictDoUpdate({ target: leases.name, set: row }).run();
        return true;
      });
    },

    async releaseLease(name, holder) {
      await writeRelaxed((tx) =>
        tx
          .delete(leases)
          .where(and(eq(leases.name, name), eq(leases.holder, holder)))
          .run(),
      );
    },

    async isLeased(name, now) {
      const running = and(eq(leases.name, name), gt(leases.endsAt, now));
      return db.select({ name: leases.name }).from(leases).where(running).get() !== undefined;
    },

    listFailures: async () => db.select().from(jobFailures).all(),

    async saveFailure(failure) {
      await writeRelaxed((tx) =>
        tx.insert(jobFailures).values(failure).onConflictDoUpdate({ target: jobFailures.name, set: failure }).run(),
      );
    },

    async clearFailure(name) {
      await writeRelaxed((tx) => tx.delete(jobFailures).where(eq(jobFailures.name, name)).run());
    },
  };
}
