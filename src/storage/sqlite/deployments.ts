import { and, asc, desc, eq, gt, lt } from "drizzle-orm";
import { deploymentActivated } from "../../domain/model/events.ts";
import { UNLIMITED } from "../../domain/model/quota.ts";
import type { DeploymentStore } from "../../domain/ports/store/deployments.ts";
import type { Connection } from "./connection.ts";
import { findDeployment, selectDeployments, setActive, toDeployment } from "./deployment-rows.ts";
import { manifestStatements } from "./manifests.ts";
import { newOutbox } from "./outbox.ts";
import { publish } from "./publish.ts";
import { deployments, sites } from "./schema.ts";

export function deploymentStore(connection: Connection): DeploymentStore {
  const { db, writeRouting } = connection;
  const outbox = newOutbox(connection);
  const manifests = manifestStatements(connection);
  return {
    async publish(publication, quota = UNLIMITED) {
      return publish(connection, outbox, publication, quota);
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
      return writeRouting((tx, affects) => {
        affects(siteId);
        const deployment = findDeployment(tx, siteId, number);
        if (!deployment) return null;
        setActive(tx, siteId, deployment.id, at);
        const notified = deployment.active ? null : outbox.find(siteId);
        if (notified) outbox.note(notified, at, [deploymentActivated(notified.name, deployment)]);
        return findDeployment(tx, siteId, number);
      });
    },

    async manifest(deploymentId) {
      return manifests.read(deploymentId);
    },

    async rules(deploymentId) {
      return manifests.readRules(deploymentId);
    },
  };
}
