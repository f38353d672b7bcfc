import { and, eq } from "drizzle-orm";
import { timeAfter } from "../../domain/deployments/time-after.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Drizzle } from "./connection.ts";
import { deployments, sites } from "./schema.ts";

const deploymentColumns = { ...columnsExcept(deployments, "replacedAt"), activeId: sites.activeDeploymentId };

/** Selects deployments with their site's active pointer; `toDeployment` converts them for the domain. */
export function selectDeployments(db: Drizzle) {
  return db.select(deploymentColumns).from(deployments).innerJoin(sites, eq(sites.id, deployments.siteId));
}

type Row = NonNullable<ReturnType<ReturnType<typeof selectDeployments>["get"]>>;

export function toDeployment({ activeId, ...row }: Row) {
  return { ...row, active: row.id === activeId };
}

export function findDeployment(db: Drizzle, siteId: number, number: number) {
  const matches = and(eq(deployments.siteId, siteId), eq(deployments.number, number));
  const row = selectDeployments(db).where(matches).get();
  return row ? toDeployment(row) : null;
}

/**
 * Moves the active pointer and records when the former active deployment was replaced, which starts its grace period.
 */
export function setActive(tx: Drizzle, siteId: number, deploymentId: number, wantedAt: number): void {
  const active = tx
    .select({ id: deployments.id, activatedAt: deployments.activatedAt })
    .from(deployments)
    .innerJoin(sites, eq(sites.activeDeploymentId, deployments.id))
    .where(eq(sites.id, siteId))
    .get();
  const at = timeAfter(active?.activatedAt ?? null, wantedAt);
  if (active && active.id !== deploymentId) {
    tx.update(deployments).set({ replacedAt: at }).where(eq(deployments.id, active.id)).run();
  }
  tx.update(sites).set({ activeDeploymentId: deploymentId }).where(eq(sites.id, siteId)).run();
  tx.update(deployments)
    .set({ activatedAt: at, replacedAt: null, expiresAt: null })
    .where(eq(deployments.id, deploymentId))
    .run();
}
