import { and, eq, sql } from "drizzle-orm";
import { timeAfter } from "../../domain/deployments/time-after.ts";
import type { Deployment } from "../../domain/model/deployment.ts";
import type { Baseline } from "../../domain/model/report.ts";
import { columnsExcept } from "./columns.ts";
import type { Drizzle } from "./connection.ts";
import { type NotifiedSite, notifiedSite } from "./outbox.ts";
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

/**
 * Locks a site until the transaction ends, so that nobody else changes or deletes it. Returns what its events name; null
 * if it was deleted.
 */
export async function lockSite(tx: Drizzle, id: number): Promise<NotifiedSite | null> {
  return first(tx.select(notifiedSite).from(sites).where(eq(sites.id, id)).for("no key update"));
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
 * its grace period. Returns the former one, null if there was none, and when the new one became active.
 */
export async function setActive(
  tx: Drizzle,
  siteId: number,
  deploymentId: number,
  wantedAt: number,
): Promise<{ readonly former: Baseline | null; readonly activatedAt: number }> {
  const active = await first(activeOfSite(tx, { siteId }));
  const activatedAt = timeAfter(active?.activatedAt ?? null, wantedAt);
  if (active && active.id !== deploymentId) {
    await tx.update(deployments).set({ replacedAt: activatedAt }).where(eq(deployments.id, active.id));
  }
  await tx.update(sites).set({ activeDeploymentId: deploymentId }).where(eq(sites.id, siteId));
  const activated = { activatedAt, replacedAt: null, expiresAt: null };
  await tx.update(deployments).set(activated).where(eq(deployments.id, deploymentId));
  return { former: active && { deploymentId: active.id, number: active.number }, activatedAt };
}
