import { and, asc, eq, gt, gte, lt, or } from "drizzle-orm";
import { mergeSteps, stepOf } from "../../domain/maintenance/metric-steps.ts";
import { STEP_LENGTHS, STEP_MS, STEPS_KEPT, type StepLength } from "../../domain/model/metric-step.ts";
import type { MetricStore } from "../../domain/ports/store/metrics.ts";
import type { Connection } from "./connection.ts";
import { metricSteps } from "./schema.ts";

export function metricStore({ raw, db, writeRelaxed }: Connection): MetricStore {
  // The counter of the table's ids, which are never reused.
  const made = raw.prepare<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'deployments'");
  const countMade = () => made.get()?.seq ?? 0;
  let counted = countMade();
  return {
    async add(now, figures) {
      await writeRelaxed((tx) => {
        for (const length of STEP_LENGTHS) {
          tx.delete(metricSteps).where(isForgotten(length, now)).run();
          const at = stepOf(now, length);
          const step = and(eq(metricSteps.length, length), eq(metricSteps.at, at));
          const before = tx.select().from(metricSteps).where(step).get();
          const row = { length, at, figures: before ? mergeSteps(before.figures, figures) : figures };
          const target = [metricSteps.length, metricSteps.at];
          tx.insert(metricSteps).values(row).onConflictDoUpdate({ target, set: row }).run();
        }
      });
    },

    async list(length, from, to) {
      const within = and(eq(metricSteps.length, length), gte(metricSteps.at, from), lt(metricSteps.at, to));
      const rows = db.select().from(metricSteps).where(within).orderBy(asc(metricSteps.at)).all();
      return new Map(rows.map(({ at, figures }) => [at, figures]));
    },

    async countNewDeployments() {
      const before = counted;
      counted = countMade();
      return counted - before;
    },
  };
}

function isForgotten(length: StepLength, now: number) {
  const outside = or(lt(metricSteps.at, now - STEPS_KEPT[length]), gt(metricSteps.at, now + STEP_MS[length]));
  return and(eq(metricSteps.length, length), outside);
}
