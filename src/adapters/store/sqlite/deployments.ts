import { and, asc, desc, eq, gt, gte, isNotNull, lt, ne } from "drizzle-orm";
import type { DeploymentStore } from "../../../domain/ports/store/deployments.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { decodeManifest } from "./manifest-codec.ts";
import { publish } from "./publish.ts";
import { deployments, manifests, sites } from "./schema.ts";

const deploymentColumns = {
  id: deployments.id,
  siteId: deployments.siteId,
  number: deployments.number,
  activeId: sites.activeDeploymentId,
  createdAt: deployments.createdAt,
  activatedAt: deployments.activatedAt,
  source: deployments.source,
  actor: deployments.actor,
  fileCount: deployments.fileCount,
  sizeBytes: deployments.sizeBytes,
  warnings: deployments.warnings,
};

/** Selects deployments with their site's active pointer; `toDeployment` makes them the domain's. */
function selectDeployments(db: Drizzle) {
  return db.select(deploymentColumns).from(deployments).innerJoin(sites, eq(sites.id, deployments.siteId));
}

type Row = NonNullable<ReturnType<ReturnType<typeof selectDeployments>["get"]>>;

function toDeployment({ activeId, ...row }: Row) {
  return { ...row, active: row.id === activeId };
}

export function findDeployment(db: Drizzle, siteId: number, number: number) {
  const matches = and(eq(deployments.siteId, siteId), eq(deployments.number, number));
  const row = selectDeployments(db).where(matches).get();
  return row ? toDeployment(row) : null;
}

/** Moves the active pointer and notes when the former active deployment was replaced: grace is counted from there. */
export function setActive(tx: Drizzle, siteId: number, deploymentId: number, at: number): void {
  const site = tx.select({ active: sites.activeDeploymentId }).from(sites).where(eq(sites.id, siteId)).get();
  if (site?.active != null && site.active !== deploymentId) {
    tx.update(deployments).set({ replacedAt: at }).where(eq(deployments.id, site.active)).run();
  }
  tx.update(sites).set({ activeDeploymentId: deploymentId }).where(eq(sites.id, siteId)).run();
  tx.update(deployments).set({ activatedAt: at, replacedAt: null }).where(eq(deployments.id, deploymentId)).run();
}

export function deploymentStore(connection: Connection): DeploymentStore {
  const { db, writeRouting } = connection;
  return {
    async publish(publication) {
      return publish(connection, publication);
    },

    async find(siteId, number) {
      return findDeployment(db, siteId, number);
    },

    async list(siteId, { limit, before }) {
      const earlier = before === null ? undefined : lt(deployments.number, before);
      return selectDeployments(db)
        .where(and(eq(deployments.siteId, siteId), earlier))
        .orderBy(desc(deployments.number))
        .limit(limit)
        .all()
        .map(toDeployment);
    },

    async *all() {
      const { id, siteId, number } = deployments;
      const columns = { id, siteId, number, siteName: sites.name };
      for (let last = 0; ; ) {
        const rows = db.select(columns).from(deployments).innerJoin(sites, eq(sites.id, siteId));
        const page = rows.where(gt(id, last)).orderBy(asc(id)).limit(1000).all();
        yield* page;
        const end = page.at(-1);
        if (!end) return;
        last = end.id;
      }
    },

    async activate(siteId, number, at) {
      return writeRouting((tx) => {
        const deployment = findDeployment(tx, siteId, number);
        if (!deployment) return null;
        setActive(tx, siteId, deployment.id, at);
        return findDeployment(tx, siteId, number);
      });
    },

    async manifest(deploymentId) {
      const row = db.select().from(manifests).where(eq(manifests.deploymentId, deploymentId)).get();
      return row ? decodeManifest(row.body) : null;
    },

    async recentlyActive(siteId, since) {
      const replacedSince = and(isNotNull(deployments.replacedAt), gte(deployments.replacedAt, since));
      return db
        .select({ id: deployments.id })
        .from(deployments)
        .innerJoin(sites, eq(sites.id, deployments.siteId))
        .where(and(eq(deployments.siteId, siteId), replacedSince, ne(deployments.id, sites.activeDeploymentId)))
        .orderBy(desc(deployments.replacedAt))
        .all()
        .map((row) => row.id);
    },
  };
}
