import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { siteChanged } from "../../domain/events/changes.ts";
import { deploymentsDeleted } from "../../domain/model/events.ts";
import type { HeldLease } from "../../domain/ports/store/jobs.ts";
import type { PolicyChange, RetainedDeployment, RetentionStore } from "../../domain/ports/store/retention.ts";
import { affectingSite, type Connection, type Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { addingTo } from "./failures.ts";
import { requireLease } from "./jobs.ts";
import { announce } from "./live-events.ts";
import { note } from "./outbox.ts";
import { first, rowsOf } from "./rows.ts";
import { aliases, deployments, pins, retentionPolicies, sites } from "./schema.ts";
import { isAnyOf, isNoneOf } from "./sql.ts";

export function retentionStore({ read, write, writeRouting, freeing }: Connection): RetentionStore {
  return {
    listSites: () => read(listSites),

    async findPolicy(siteId) {
      const own = eq(retentionPolicies.siteId, siteId);
      return read((db) => first(selectPolicies(db).where(own)));
    },

    setPolicy: (siteId, policy) =>
      addingTo("site", writeRouting(affectingSite(siteId, (tx) => setPolicy(tx, siteId, policy)))),

    setPinned: (siteId, number, pinned) => write((tx) => setPinned(tx, siteId, number, pinned)),
    listDeployments: (siteId) => read((db) => listDeployments(db, siteId)),
    exclusiveBytes: (deploymentIds) => read((db) => exclusiveBytes(db, deploymentIds)),

    deleteDeployments: (siteId, deploymentIds, at, lease) =>
      freeing(() =>
        writeRouting(affectingSite(siteId, (tx) => remove(tx, { siteId, deploymentIds, at, lease: lease ?? null }))),
      ),
  };
}

// --- internal ---

async function listSites(db: Drizzle): ReturnType<RetentionStore["listSites"]> {
  const { siteId: own, last, days } = retentionPolicies;
  const rows = await db
    .select({ siteId: sites.id, siteName: sites.name, own, last, days, graceDays: sites.graceDays })
    .from(sites)
    .leftJoin(retentionPolicies, eq(retentionPolicies.siteId, sites.id))
    .orderBy(asc(sites.name));
  return rows.map(({ own, last, days, graceDays, ...site }) => ({
    ...site,
    policy: own === null ? null : { last, days, graceDays },
  }));
}

function selectPolicies(db: Drizzle) {
  const { last, days } = retentionPolicies;
  const columns = { last, days, graceDays: sites.graceDays };
  return db.select(columns).from(retentionPolicies).innerJoin(sites, eq(sites.id, retentionPolicies.siteId));
}

async function setPolicy(tx: Drizzle, siteId: number, policy: PolicyChange | null): Promise<void> {
  await tx.delete(retentionPolicies).where(eq(retentionPolicies.siteId, siteId));
  if (policy) await tx.insert(retentionPolicies).values({ siteId, last: policy.last, days: policy.days });
  const { graceDays } = policy ?? { graceDays: null };
  if (graceDays !== undefined) await tx.update(sites).set({ graceDays }).where(eq(sites.id, siteId));
  await announce(tx, siteChanged(siteId));
}

async function setPinned(tx: Drizzle, siteId: number, number: number, pinned: boolean): Promise<boolean> {
  const found = and(eq(deployments.siteId, siteId), eq(deployments.number, number));
  const rows = tx.select({ deploymentId: deployments.id }).from(deployments).where(found);
  const row = await first(rows.for("key share"));
  if (!row) return false;
  if (pinned) await tx.insert(pins).values(row).onConflictDoNothing();
  else await tx.delete(pins).where(eq(pins.deploymentId, row.deploymentId));
  await announce(tx, siteChanged(siteId, { deployment_number: number }));
  return true;
}

async function listDeployments(db: Drizzle, siteId: number): Promise<readonly RetainedDeployment[]> {
  const { id, number, createdAt, activatedAt, replacedAt } = deployments;
  const active = sql`${id} IS NOT DISTINCT FROM ${sites.activeDeploymentId}`.mapWith(Boolean);
  const pinned = sql`${pins.deploymentId} IS NOT NULL`.mapWith(Boolean);
  const aliased = sql`EXISTS (SELECT 1 FROM ${aliases} WHERE ${aliases.deploymentId} = ${id})`.mapWith(Boolean);
  return db
    .select({ id, number, createdAt, activatedAt, replacedAt, active, pinned, aliased })
    .from(deployments)
    .innerJoin(sites, eq(sites.id, deployments.siteId))
    .leftJoin(pins, eq(pins.deploymentId, id))
    .where(eq(deployments.siteId, siteId))
    .orderBy(asc(id));
}

async function exclusiveBytes(db: Drizzle, deploymentIds: readonly number[]): Promise<number> {
  const deployment = sql`deployment_id`;
  const statement = sql`
    SELECT coalesce(sum(size), 0) AS bytes FROM contents
    WHERE id IN (SELECT content_id FROM deployment_contents WHERE ${isAnyOf(deployment, deploymentIds, "bigint")})
      AND NOT EXISTS (SELECT 1 FROM deployment_contents
        WHERE content_id = contents.id AND ${isNoneOf(deployment, deploymentIds, "bigint")})`;
  const [row] = await rowsOf<{ readonly bytes: string }>(db, statement);
  return Number(row?.bytes ?? 0);
}

interface Removal {
  readonly siteId: number;
  readonly deploymentIds: readonly number[];
  readonly at: number;
  readonly lease: HeldLease | null;
}

/** Locks the deployments before the check, so that nobody activates, pins or aliases one of them meanwhile. */
async function remove(tx: Drizzle, { siteId, deploymentIds, at, lease }: Removal): Promise<readonly number[]> {
  await requireLease(tx, lease);
  const site = await lockSite(tx, siteId);
  if (!site) return [];
  const wanted = and(eq(deployments.siteId, siteId), inArray(deployments.id, [...deploymentIds]));
  await tx.select({ id: deployments.id }).from(deployments).where(wanted).orderBy(asc(deployments.id)).for("update");
  const staying = await idsThatStay(tx, siteId);
  const ids = deploymentIds.filter((id) => !staying.has(id));
  const going = and(eq(deployments.siteId, siteId), inArray(deployments.id, ids));
  const gone = await tx.delete(deployments).where(going).returning({ number: deployments.number });
  const numbers = gone.map(({ number }) => number).sort((one, other) => one - other);
  if (numbers.length > 0) await note(tx, site, at, [deploymentsDeleted(site.name, numbers, null)]);
  return numbers;
}

/** Returns the deployments of a site that are active, pinned or aliased. */
async function idsThatStay(tx: Drizzle, siteId: number): Promise<ReadonlySet<number>> {
  const site = await first(tx.select({ id: sites.activeDeploymentId }).from(sites).where(eq(sites.id, siteId)));
  const ofSite = eq(deployments.siteId, siteId);
  const pinned = tx
    .select({ id: pins.deploymentId })
    .from(pins)
    .innerJoin(deployments, eq(deployments.id, pins.deploymentId));
  const aliased = tx.select({ id: aliases.deploymentId }).from(aliases).where(eq(aliases.siteId, siteId));
  const kept = [...(await pinned.where(ofSite)), ...(await aliased)].map(({ id }) => id);
  return new Set([...kept, ...(site?.id ? [site.id] : [])]);
}
