import { and, eq, sum } from "drizzle-orm";
import { siteTransferred } from "../../domain/events/changes.ts";
import { excessOf, type Quota } from "../../domain/model/quota.ts";
import { type Ended, type EndedByTransfer, NOTHING_ENDED } from "../../domain/model/transfer.ts";
import type { SiteTransfer } from "../../domain/ports/store/sites.ts";
import type { Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { announce } from "./live-events.ts";
import { takeRoom } from "./quotas.ts";
import { deleteRows, first } from "./rows.ts";
import {
  claims,
  deployments,
  deploymentTokens,
  members,
  publishers,
  readers,
  shares,
  sites,
  webhooks,
} from "./schema.ts";

type Transferred = Extract<SiteTransfer, { readonly outcome: "transferred" }>;

/** Gives a site to another user, and ends what the former owner set up, except what is kept. */
export async function transferSite(
  tx: Drizzle,
  id: number,
  ownerId: number,
  { quota, keep }: { readonly quota: Quota; readonly keep: readonly EndedByTransfer[] },
): Promise<Exclude<SiteTransfer, Transferred> | Omit<Transferred, "site">> {
  const room = await takeRoom(tx, ownerId, quota);
  await lockSite(tx, id);
  const site = await first(tx.select({ ownerId: sites.ownerId }).from(sites).where(eq(sites.id, id)));
  if (!site) return { outcome: "missing" };
  if (site.ownerId === ownerId) return { outcome: "transferred", ended: NOTHING_ENDED };
  const excess = room && excessOf(room.quota, room.usage, { sites: 1, bytes: await keptBytesOf(tx, id) });
  if (excess) return { outcome: "over_quota", excess };
  const ended = await endAccess(tx, id, keep);
  await tx.update(sites).set({ ownerId }).where(eq(sites.id, id));
  await tx.update(claims).set({ ownerId }).where(eq(claims.siteId, id));
  await tx.update(webhooks).set({ ownerId }).where(eq(webhooks.siteId, id));
  await tx.delete(readers).where(and(eq(readers.siteId, id), eq(readers.userId, ownerId)));
  await tx.delete(members).where(and(eq(members.siteId, id), eq(members.userId, ownerId)));
  await handOver(tx, id, { from: site.ownerId, to: ownerId });
  await announce(tx, siteTransferred(id, site.ownerId, ownerId));
  return { outcome: "transferred", ended };
}

// --- internal ---

async function keptBytesOf(tx: Drizzle, siteId: number): Promise<number> {
  const total = sum(deployments.sizeBytes).mapWith(Number);
  return (await first(tx.select({ total }).from(deployments).where(eq(deployments.siteId, siteId))))?.total ?? 0;
}

async function endAccess(tx: Drizzle, siteId: number, keep: readonly EndedByTransfer[]): Promise<Ended> {
  const end = (what: EndedByTransfer, remove: () => Promise<number>) => (keep.includes(what) ? 0 : remove());
  return {
    tokens: await end("tokens", () => deleteTokens(tx, siteId)),
    shares: await end("shares", () => deleteRows(tx, shares, eq(shares.siteId, siteId))),
    webhooks: await end("webhooks", () => deleteRows(tx, webhooks, eq(webhooks.siteId, siteId))),
    publishers: await end("publishers", () => deleteRows(tx, publishers, eq(publishers.siteId, siteId))),
  };
}

/** Kept tokens and publishers of the former owner, who has no role any more, act for the new one. */
async function handOver(tx: Drizzle, siteId: number, { from, to }: { from: number; to: number }): Promise<void> {
  for (const made of [deploymentTokens, publishers]) {
    await tx
      .update(made)
      .set({ makerId: to })
      .where(and(eq(made.siteId, siteId), eq(made.makerId, from)));
  }
}

/** Those of CI runs end as well, and are not counted. */
async function deleteTokens(tx: Drizzle, siteId: number): Promise<number> {
  const ofSite = eq(deploymentTokens.siteId, siteId);
  const ended = await tx.delete(deploymentTokens).where(ofSite).returning({ ofRun: deploymentTokens.publisherId });
  return ended.filter(({ ofRun }) => ofRun === null).length;
}
