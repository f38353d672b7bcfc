import { and, asc, eq, gt, gte, lt, or, sql } from "drizzle-orm";
import { mergeSteps, stepOf } from "../../domain/maintenance/metric-steps.ts";
import {
  STEP_LENGTHS,
  STEP_MS,
  STEPS_KEPT,
  type StepFigures,
  type StepLength,
} from "../../domain/model/metric-step.ts";
import type { MetricStore } from "../../domain/ports/store/metrics.ts";
import { byDatabase } from "./by-database.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { takeLock } from "./locks.ts";
import { first, rowsOf } from "./rows.ts";
import { meta, metricSteps } from "./schema.ts";

export function metricStore({ read, writeRelaxed }: Connection): MetricStore {
  return {
    async add(now, figures) {
      await writeRelaxed(async (tx) => {
        await takeLock(tx, "metrics");
        for (const length of STEP_LENGTHS) await addStep(tx, length, now, figures);
      });
    },

    async list(length, from, to) {
      const within = and(eq(metricSteps.length, length), gte(metricSteps.at, from), lt(metricSteps.at, to));
      const rows = await read((db) => db.select().from(metricSteps).where(within).orderBy(asc(metricSteps.at)));
      return new Map(rows.map(({ at, figures }) => [at, figures]));
    },

    async countNewDeployments() {
      return writeRelaxed(async (tx) => {
        await takeLock(tx, "metrics");
        // The ids of deployments, which are never given twice. A publication that failed has taken one, too.
        const made = Number((await first(rowsOf<{ last: string | null }>(tx, LAST_DEPLOYMENT)))?.last ?? 0);
        const before = await first(tx.select({ value: meta.value }).from(meta).where(eq(meta.key, COUNTED)));
        const row = { key: COUNTED, value: made };
        await tx.insert(meta).values(row).onConflictDoUpdate({ target: meta.key, set: row });
        return Math.max(0, made - (before?.value ?? made));
      });
    },
  };
}

// --- internal ---

const LAST_DEPLOYMENT = byDatabase({
  postgres: sql`SELECT last_value AS last FROM pg_sequences WHERE sequencename = 'deployments_id_seq'`,
  sqlite: sql`SELECT seq AS last FROM sqlite_sequence WHERE name = 'deployments'`,
});

/** The id of the last deployment that was counted. */
const COUNTED = "counted_deployments";

async function addStep(tx: Drizzle, length: StepLength, now: number, figures: StepFigures): Promise<void> {
  await tx.delete(metricSteps).where(isForgotten(length, now));
  const at = stepOf(now, length);
  const step = and(eq(metricSteps.length, length), eq(metricSteps.at, at));
  const before = await first(tx.select().from(metricSteps).where(step));
  const row = { length, at, figures: before ? mergeSteps(before.figures, figures) : figures };
  const target = [metricSteps.length, metricSteps.at];
  await tx.insert(metricSteps).values(row).onConflictDoUpdate({ target, set: row });
}

function isForgotten(length: StepLength, now: number) {
  const outside = or(lt(metricSteps.at, now - STEPS_KEPT[length]), gt(metricSteps.at, now + STEP_MS[length]));
  return and(eq(metricSteps.length, length), outside);
}
