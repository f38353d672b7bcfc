import { and, eq, gt } from "drizzle-orm";
import { leaseLost } from "../../domain/errors.ts";
import type { HeldLease, JobStore } from "../../domain/ports/store/jobs.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { jobFailures, jobRuns, leases } from "./schema.ts";

/** Throws `conflict` if the lease of a change was taken over. Call it in the transaction of the change. */
export function requireLease(tx: Drizzle, lease: HeldLease | null | undefined): void {
  if (!lease) return;
  const { name, epoch } = lease;
  const held = and(eq(leases.name, name), eq(leases.epoch, epoch));
  if (tx.select({ epoch: leases.epoch }).from(leases).where(held).get() === undefined) throw leaseLost(lease);
}

export function jobStore({ db, writeRelaxed }: Connection): JobStore {
  const moveEnd = async (name: string, epoch: number, endsAt: number) => {
    const held = and(eq(leases.name, name), eq(leases.epoch, epoch));
    const moved = (tx: Drizzle) => tx.update(leases).set({ endsAt }).where(held).returning({ name: leases.name });
    return writeRelaxed((tx) => moved(tx).get() !== undefined);
  };
  return {
    async takeLease(name, { holder, now, until, longest }) {
      return writeRelaxed((tx) => {
        const lease = tx.select().from(leases).where(eq(leases.name, name)).get();
        const runs = lease !== undefined && lease.endsAt > now && lease.endsAt < now + 2 * longest;
        if (runs && lease.holder !== holder) return null;
        const row = { name, holder, epoch: (lease?.epoch ?? 0) + 1, endsAt: until };
        tx.insert(leases).values(row).onConflictDoUpdate({ target: leases.name, set: row }).run();
        return row.epoch;
      });
    },

    extendLease: (name, epoch, until) => moveEnd(name, epoch, until),

    async releaseLease(name, epoch) {
      // The row stays, because the next epoch follows from it.
      await moveEnd(name, epoch, 0);
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

    async deleteFailure(name) {
      await writeRelaxed((tx) => tx.delete(jobFailures).where(eq(jobFailures.name, name)).run());
    },

    listRuns: async () => db.select().from(jobRuns).all(),

    async saveRuns(runs) {
      await writeRelaxed((tx) => {
        for (const run of runs) {
          tx.insert(jobRuns).values(run).onConflictDoUpdate({ target: jobRuns.name, set: run }).run();
        }
      });
    },
  };
}
