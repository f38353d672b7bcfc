import { and, asc, eq } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import { deploymentsDeleted } from "../../domain/model/events.ts";
import type { Deletion, DeletionResult } from "../../domain/ports/store/deployments.ts";
import type { Drizzle } from "./connection.ts";
import { purgeUnreferenced } from "./contents.ts";
import { findDeployment, lockSite } from "./deployment-rows.ts";
import { deleteAnnounced } from "./live-events.ts";
import { note } from "./outbox.ts";
import { aliases, deploymentContents, deployments, expiredPreviews, shares } from "./schema.ts";

/** What activates a deployment or points an alias to it locks the site, too. */
export async function deleteDeployment(
  tx: Drizzle,
  { siteId, number }: { readonly siteId: number; readonly number: number },
  { at, actor }: Deletion,
): Promise<DeletionResult> {
  const site = await lockSite(tx, siteId);
  const deployment = site && (await findDeployment(tx, siteId, number));
  if (!deployment) return "missing";
  if (deployment.active) return "active";
  const names = await aliasesOf(tx, deployment.id);
  if (names.length > 0) return { aliases: names };
  const contentIds = await contentsOf(tx, deployment.id);
  await tx.delete(deployments).where(eq(deployments.id, deployment.id));
  await purgeUnreferenced(tx, contentIds, at);
  const label = String(number);
  await tx.insert(expiredPreviews).values({ siteId, label, expiredAt: at }).onConflictDoNothing();
  await endShares(tx, siteId, label);
  await note(tx, site, at, [deploymentsDeleted(site.name, [number], actor)]);
  return "deleted";
}

// --- internal ---

async function aliasesOf(tx: Drizzle, deploymentId: number): Promise<readonly string[]> {
  const { name } = aliases;
  const rows = tx.select({ name }).from(aliases).where(eq(aliases.deploymentId, deploymentId));
  return (await rows.orderBy(asc(name))).map((alias) => alias.name);
}

async function contentsOf(tx: Drizzle, deploymentId: number): Promise<readonly number[]> {
  const { contentId: id } = deploymentContents;
  const rows = await tx
    .select({ id })
    .from(deploymentContents)
    .where(eq(deploymentContents.deploymentId, deploymentId));
  return rows.map((row) => row.id);
}

async function endShares(tx: Drizzle, siteId: number, target: string): Promise<void> {
  const ofTarget = and(eq(shares.siteId, siteId), eq(shares.target, target));
  await deleteAnnounced(tx, shares, ofTarget, accessChanged(siteId));
}
