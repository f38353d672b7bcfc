import { and, eq, gt, lt, ne, not, sql } from "drizzle-orm";
import { leaseLost } from "../../domain/errors.ts";
import type { HeldLease, JobStore } from "../../domain/ports/store/jobs.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { first } from "./rows.ts";
import { jobFailures, jobRuns, leases } from "./schema.ts";

/**
 * Throws `conflict` if the lease of a change was taken over. Call it in the transaction of the change, until whose end
 * nobody can take the lease.
 */
export async function requireLease(tx: Drizzle, lease: HeldLease | null | undefined): Promise<void> {
  if (!lease) return;
  const held = and(eq(leases.name, lease.name), eq(leases.epoch, lease.epoch));
  const row = await first(tx.select({ epoch: leases.epoch }).from(leases).where(held).for("share"));
  if (row === null) throw leaseLost(lease);
}

export function jobStore({ read, write, writeRelaxed }: Connection): JobStore {
  const moveEnd = (name: string, epoch: number, endsAt: number) =>
    writeRelaxed(async (tx) => {
      const held = and(eq(leases.name, name), eq(leases.epoch, epoch));
      const moved = tx.update(leases).set({ endsAt }).where(held).returning({ name: leases.name });
      return (await first(moved)) !== null;
    });
  return {
    async takeLease(name, { holder, now, until, longest }) {
      // Durable, because an epoch must not be reused after a power cut, while data of its holder may have survived.
      return write(async (tx) => {
        await tx.insert(leases).values({ name, holder, endsAt: 0 }).onConflictDoNothing();
        const runs = and(gt(leases.endsAt, now), lt(leases.endsAt, now + 2 * longest), ne(leases.holder, holder));
        const taken = tx
          .update(leases)
          .set({ holder, epoch: sql`${leases.epoch} + 1`, endsAt: until })
          .where(and(eq(leases.name, name), not(runs!)));
        return (await first(taken.returning({ epoch: leases.epoch })))?.epoch ?? null;
      });
    },

    extendLease: (name, epoch, until) => moveEnd(name, epoch, until),

    async releaseLease(name, epoch) {
      // The row stays, because the next epoch follows from it.
      await moveEnd(name, epoch, 0);
    },

    async isLeased(name, now) {
      const running = and(eq(leases.name, name), gt(leases.endsAt, now));
      return read(async (db) => (await first(db.select({ name: leases.name }).from(leases).where(running))) !== null);
    },

    listFailures: () => read((db) => db.select().from(jobFailures)),

    async saveFailure(failure) {
      const saved = { target: jobFailures.name, set: failure };
      await writeRelaxed((tx) => tx.insert(jobFailures).values(failure).onConflictDoUpdate(saved));
    },

    async deleteFailure(name) {
      await writeRelaxed((tx) => tx.delete(jobFailures).where(eq(jobFailures.name, name)));
    },

    listRuns: () => read((db) => db.select().from(jobRuns)),

    async saveRuns(runs) {
      await writeRelaxed(async (tx) => {
        for (const run of runs) {
          await tx.insert(jobRuns).values(run).onConflictDoUpdate({ target: jobRuns.name, set: run });
        }
      });
    },
  };
}
