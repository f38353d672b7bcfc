import { and, eq, sql } from "drizzle-orm";
import { timeAfter } from "../../domain/deployments/time-after.ts";
import type { Deployment } from "../../domain/model/deployment.ts";
import type { Baseline } from "../../domain/model/report.ts";
import { columnsExcept } from "./columns.ts";
import type { Drizzle } from "./connection.ts";
import { prepared } from "./prepared.ts";
import { first } from "./rows.ts";
import { deployments, sites } from "./schema.ts";

const deploymentColumns = {
  ...columnsExcept(deployments, "replacedAt", "publicationId"),
  activeId: sites.activeDeploymentId,
};

/** Selects deployments with their site's active pointer; `toDeployment` converts them for the domain. */
export function selectDeployments(db: Drizzle) {
  return db.select(deploymentColumns).from(deployments).innerJoin(sites, eq(sites.id, deployments.siteId));
}

type Row = Awaited<ReturnType<typeof selectDeployments>>[number];

export function toDeployment({ activeId, ...row }: Row): Deployment {
  return { ...row, active: row.id === activeId };
}

const deploymentByNumber = prepared((db) =>
  selectDeployments(db).where(
    and(eq(deployments.siteId, sql.placeholder("siteId")), eq(deployments.number, sql.placeholder("number"))),
  ),
);

export async function findDeployment(db: Drizzle, siteId: number, number: number): Promise<Deployment | null> {
  const row = await first(deploymentByNumber(db, { siteId, number }));
  return row && toDeployment(row);
}

/** Locks a site until the transaction ends, so that nobody else changes or deletes it; false if it was deleted. */
export async function lockSite(tx: Drizzle, id: number): Promise<boolean> {
  return (await first(tx.select({ id: sites.id }).from(sites).where(eq(sites.id, id)).for("no key update"))) !== null;
}

const activeOfSite = prepared((db) =>
  db
    .select({ id: deployments.id, number: deployments.number, activatedAt: deployments.activatedAt })
    .from(deployments)
    .innerJoin(sites, eq(sites.activeDeploymentId, deployments.id))
    .where(eq(sites.id, sql.placeholder("siteId"))),
);

/**
 * Moves the active pointer of a locked site, and records when the former active deployment was replaced, which starts
 * its grace period. Returns the former one; null if there was none.
 */
export async function setActive(
  tx: Drizzle,
  siteId: number,
  deploymentId: number,
  wantedAt: number,
): Promise<Baseline | null> {
  const active = await first(activeOfSite(tx, { siteId }));
  const at = timeAfter(active?.activatedAt ?? null, wantedAt);
  if (active && active.id !== deploymentId) {
    await tx.update(deployments).set({ replacedAt: at }).where(eq(deployments.id, active.id));
  }
  await tx.update(sites).set({ activeDeploymentId: deploymentId }).where(eq(sites.id, siteId));
  const activated = { activatedAt: at, replacedAt: null, expiresAt: null };
  await tx.update(deployments).set(activated).where(eq(deployments.id, deploymentId));
  return active && { deploymentId: active.id, number: active.number };
}
