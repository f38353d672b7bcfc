import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { siteChanged } from "../../domain/events/changes.ts";
import { deploymentsDeleted } from "../../domain/model/events.ts";
import type { RetentionPolicy } from "../../domain/model/retention.ts";
import type { HeldLease } from "../../domain/ports/store/jobs.ts";
import type { RetainedDeployment, RetentionStore } from "../../domain/ports/store/retention.ts";
import type { Connection } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { requireLease } from "./jobs.ts";
import { newOutbox, type Outbox } from "./outbox.ts";
import { aliases, deployments, pins, retentionPolicies, sites } from "./schema.ts";

const EXCLUSIVE_BYTES = `
  SELECT coalesce(sum(size), 0) AS bytes FROM contents
  WHERE id IN (SELECT content_id FROM deployment_contents WHERE deployment_id IN (SELECT value FROM json_each($ids)))
    AND NOT EXISTS (SELECT 1 FROM deployment_contents
      WHERE content_id = contents.id AND deployment_id NOT IN (SELECT value FROM json_each($ids)))`;

export function retentionStore(connection: Connection): RetentionStore {
  const { db, raw } = connection;
  const outbox = newOutbox(connection);
  return {
    async listSites() {
      const { last, days } = retentionPolicies;
      const rows = db
        .select({ siteId: sites.id, siteName: sites.name, own: retentionPolicies.siteId, last, days })
        .from(sites)
        .leftJoin(retentionPolicies, eq(retentionPolicies.siteId, sites.id))
        .orderBy(asc(sites.name))
        .all();
      return rows.map(({ own, last, days, ...site }) => ({ ...site, policy: own === null ? null : { last, days } }));
    },

    async findPolicy(siteId) {
      const { last, days } = retentionPolicies;
      const own = eq(retentionPolicies.siteId, siteId);
      return db.select({ last, days }).from(retentionPolicies).where(own).get() ?? null;
    },

    setPolicy: (siteId, policy) => setPolicy(connection, siteId, policy),
    setPinned: (siteId, number, pinned) => setPinned(connection, siteId, number, pinned),
    listDeployments: (siteId) => listDeployments(connection, siteId),

    async exclusiveBytes(deploymentIds) {
      const ids = JSON.stringify(deploymentIds);
      return raw.query<{ bytes: number }, { ids: string }>(EXCLUSIVE_BYTES).get({ ids })?.bytes ?? 0;
    },

    deleteDeployments: (siteId, deploymentIds, at, lease) =>
      removeDeployments(connection, outbox, siteId, deploymentIds, at, lease),
  };
}

// --- internal ---

async function setPolicy(
  { write, announce }: Connection,
  siteId: number,
  policy: RetentionPolicy | null,
): Promise<void> {
  const set = write((tx) => {
    tx.delete(retentionPolicies).where(eq(retentionPolicies.siteId, siteId)).run();
    if (policy)
      tx.insert(retentionPolicies)
        .values({ siteId, ...policy })
        .run();
    announce(siteChanged(siteId));
  });
  await addingTo("site", set);
}

async function setPinned(
  { write, announce }: Connection,
  siteId: number,
  number: number,
  pinned: boolean,
): Promise<boolean> {
  return write((tx) => {
    const found = and(eq(deployments.siteId, siteId), eq(deployments.number, number));
    const row = tx.select({ deploymentId: deployments.id }).from(deployments).where(found).get();
    if (!row) return false;
    if (pinned) tx.insert(pins).values(row).onConflictDoNothing().run();
    else tx.delete(pins).where(eq(pins.deploymentId, row.deploymentId)).run();
    announce(siteChanged(siteId, { deployment_number: number }));
    return true;
  });
}

async function listDeployments({ db }: Connection, siteId: number): Promise<readonly RetainedDeployment[]> {
  const { id, number, createdAt, activatedAt, replacedAt } = deployments;
  const active = sql`${id} IS ${sites.activeDeploymentId}`.mapWith(Boolean);
  const pinned = sql`${pins.deploymentId} IS NOT NULL`.mapWith(Boolean);
  const aliased = sql`EXISTS (SELECT 1 FROM ${aliases} WHERE ${aliases.deploymentId} = ${id})`.mapWith(Boolean);
  return db
    .select({ id, number, createdAt, activatedAt, replacedAt, active, pinned, aliased })
    .from(deployments)
    .innerJoin(sites, eq(sites.id, deployments.siteId))
    .leftJoin(pins, eq(pins.deploymentId, id))
    .where(eq(deployments.siteId, siteId))
    .all();
}

async function removeDeployments(
  { writeFreeing }: Connection,
  outbox: Outbox,
  siteId: number,
  deploymentIds: readonly number[],
  at: number,
  lease?: HeldLease | null,
): Promise<readonly number[]> {
  return writeFreeing((tx, affects) => {
    affects(siteId);
    requireLease(tx, lease);
    const site = tx.select({ active: sites.activeDeploymentId }).from(sites).where(eq(sites.id, siteId)).get();
    const pinned = tx
      .select()
      .from(pins)
      .where(inArray(pins.deploymentId, [...deploymentIds]))
      .all();
    const aliased = tx
      .select({ deploymentId: aliases.deploymentId })
      .from(aliases)
      .where(eq(aliases.siteId, siteId))
      .all();
    const staying = new Set([site?.active, ...[...pinned, ...aliased].map((kept) => kept.deploymentId)]);
    const ids = deploymentIds.filter((id) => !staying.has(id));
    const going = and(eq(deployments.siteId, siteId), inArray(deployments.id, ids));
    const gone = tx.delete(deployments).where(going).returning({ number: deployments.number }).all();
    const numbers = gone.map(({ number }) => number).sort((one, other) => one - other);
    const notified = numbers.length === 0 ? null : outbox.find(siteId);
    if (notified) outbox.note(notified, at, [deploymentsDeleted(notified.name, numbers)]);
    return numbers;
  });
}
