import { and, asc, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { deploymentActivated } from "../../domain/model/events.ts";
import { UNLIMITED } from "../../domain/model/quota.ts";
import { type DeploymentStore, NEWEST_SEARCHED } from "../../domain/ports/store/deployments.ts";
import { affectingSite, type Connection } from "./connection.ts";
import { deleteDeployment } from "./delete-deployment.ts";
import { findDeployment, lockSite, selectDeployments, setActive, toDeployment } from "./deployment-rows.ts";
import { listFiles } from "./list-files.ts";
import { readManifest, readRules } from "./manifests.ts";
import { note } from "./outbox.ts";
import { prepared } from "./prepared.ts";
import { publish } from "./publish.ts";
import { setBaseline } from "./reports.ts";
import { inPages, rowsOf } from "./rows.ts";
import { deployments, sites } from "./schema.ts";
import { isAnyOf } from "./sql.ts";

const ROWS_AT_ONCE = 1000;

const newestDeployments = prepared((db) =>
  selectDeployments(db)
    .where(and(eq(deployments.siteId, sql.placeholder("siteId")), lt(deployments.number, sql.placeholder("before"))))
    .orderBy(desc(deployments.number))
    .limit(sql.placeholder("limit")),
);

export function deploymentStore(connection: Connection): DeploymentStore {
  const { read, writeRouting, freeing } = connection;
  return {
    publish: (publication, quota = UNLIMITED) => publish(connection, publication, quota),

    find: (siteId, number) => read((db) => findDeployment(db, siteId, number)),

    async list(siteId, { limit, before }) {
      const page = { siteId, limit, before: before ?? Number.MAX_SAFE_INTEGER };
      return (await read((db) => newestDeployments(db, page))).map(toDeployment);
    },

    async newestWith(siteId, paths) {
      if (paths.length === 0) return new Map();
      const rows = await read((db) => rowsOf<FoundFile>(db, newestWith(siteId, paths)));
      return new Map(rows.map(({ path, number }) => [path, Number(number)]));
    },

    all() {
      const { id, siteId, number } = deployments;
      const columns = { id, siteId, number, siteName: sites.name };
      return inPages((last) =>
        read((db) => {
          const rows = db.select(columns).from(deployments).innerJoin(sites, eq(sites.id, siteId));
          return rows
            .where(gt(id, last?.id ?? 0))
            .orderBy(asc(id))
            .limit(ROWS_AT_ONCE);
        }),
      );
    },

    async activate(siteId, number, at) {
      return writeRouting(async (tx, affects) => {
        affects(siteId);
        const site = await lockSite(tx, siteId);
        const deployment = site && (await findDeployment(tx, siteId, number));
        if (!deployment) return null;
        const { former, activatedAt } = await setActive(tx, siteId, deployment.id, at);
        if (!deployment.active) {
          await setBaseline(tx, deployment.id, former);
          await note(tx, site, at, [deploymentActivated(site.name, deployment)]);
        }
        return { ...deployment, active: true, activatedAt, expiresAt: null };
      });
    },

    delete: (siteId, number, deletion) =>
      freeing(() => writeRouting(affectingSite(siteId, (tx) => deleteDeployment(tx, { siteId, number }, deletion)))),

    manifest: (deploymentId) => read((db) => readManifest(db, deploymentId)),
    files: (deploymentId, query) => read((db) => listFiles(db, deploymentId, query)),
    rules: (deploymentId) => read((db) => readRules(db, deploymentId)),
  };
}

// --- internal ---

interface FoundFile {
  readonly path: string;
  readonly number: string;
}

/** The limit keeps the order of the search: by deployment, each with an index. */
function newestWith(siteId: number, paths: readonly string[]): SQL {
  return sql`
    SELECT path, max(number) AS number
    FROM (SELECT id, number FROM deployments WHERE site_id = ${siteId} ORDER BY number DESC LIMIT ${NEWEST_SEARCHED}) AS newest
    JOIN deployment_files ON deployment_id = newest.id
    WHERE ${isAnyOf(sql`path`, paths, "text")} GROUP BY path`;
}
