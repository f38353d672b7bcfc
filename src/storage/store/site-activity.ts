import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import type { DeploymentSource } from "../../domain/model/deployment.ts";
import type { SiteActivity, SiteStore } from "../../domain/ports/store/sites.ts";
import { ICON_FILES, MAX_ICON_BYTES } from "../../domain/sites/site-icon.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { prepared } from "./prepared.ts";
import { rowsOf } from "./rows.ts";
import { sites, viewDays } from "./schema.ts";
import { isAnyOf } from "./sql.ts";

interface SiteRow {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly recent: string;
  readonly number: string | null;
  readonly source: DeploymentSource | null;
  readonly actor: string | null;
}

export function siteActivity({ read }: Connection): SiteStore["activityOfOwner"] {
  return (ownerId, since) =>
    read(async (db) => {
      const rows = await findSites(db, ownerId, since.deployedAt);
      const days = await findViewDays(db, ownerId, since.day);
      return rows.map((row) => activityOf(row, days.get(Number(row.id)) ?? []));
    });
}

// --- internal ---

/** A few indexed reads per site. */
function findSites(db: Drizzle, ownerId: number, deployedAt: number): Promise<readonly SiteRow[]> {
  const statement = sql`
    SELECT sites.id, sites.name,
      (SELECT path FROM deployment_files JOIN contents ON contents.id = content_id
        WHERE deployment_id = sites.active_deployment_id AND ${isAnyOf(sql`path`, ICON_FILES, "text")}
          AND contents.size <= ${MAX_ICON_BYTES} ORDER BY path DESC LIMIT 1) AS icon,
      last.number, last.source, last.actor,
      (SELECT count(*) FROM deployments WHERE site_id = sites.id AND created_at >= ${deployedAt}) AS recent
    FROM sites
    LEFT JOIN deployments AS last ON last.site_id = sites.id
      AND last.number = (SELECT max(number) FROM deployments WHERE site_id = sites.id)
    WHERE sites.owner_id = ${ownerId} ORDER BY sites.name`;
  return rowsOf(db, statement);
}

type ViewDays = SiteActivity["viewDays"];

const viewDaysOfOwner = prepared((db) =>
  db
    .select({ siteId: viewDays.siteId, day: viewDays.day, views: viewDays.views })
    .from(sites)
    .innerJoin(viewDays, eq(viewDays.siteId, sites.id))
    .where(
      and(
        eq(sites.ownerId, sql.placeholder("ownerId")),
        gte(viewDays.day, sql.placeholder("since")),
        gt(viewDays.views, 0),
      ),
    )
    .orderBy(asc(viewDays.siteId), asc(viewDays.day)),
);

/** Returns the days with views, by site. */
async function findViewDays(db: Drizzle, ownerId: number, since: number): Promise<ReadonlyMap<number, ViewDays>> {
  const rows = await viewDaysOfOwner(db, { ownerId, since });
  const days = Map.groupBy(rows, ({ siteId }) => siteId);
  return new Map([...days].map(([siteId, ofSite]) => [siteId, ofSite.map(({ day, views }) => ({ day, views }))]));
}

function activityOf({ id, name, icon, recent, number, source, actor }: SiteRow, viewDays: ViewDays): SiteActivity {
  const isDeployed = number !== null && source !== null && actor !== null;
  const lastDeployment = isDeployed ? { number: Number(number), source, actor } : null;
  return { siteId: Number(id), siteName: name, icon, viewDays, recentDeployments: Number(recent), lastDeployment };
}
