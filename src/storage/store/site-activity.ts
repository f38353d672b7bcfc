import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { SiteActivity, SiteStore } from "../../domain/ports/store/sites.ts";
import { ICON_FILES, MAX_ICON_BYTES } from "../../domain/sites/site-icon.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { prepared } from "./prepared.ts";
import { PERSON, worksOn } from "./roles.ts";
import { deployments, sites, viewDays } from "./schema.ts";
import { isAnyOf } from "./sql.ts";

export function siteActivity({ read }: Connection): SiteStore["activityOfMember"] {
  return (userId, since, now) =>
    read(async (db) => {
      const rows = await sitesOfMember(db, { userId, now, deployedAt: since.deployedAt });
      const days = await findViewDays(db, { userId, now, since: since.day });
      return rows.map((row) => activityOf(row, days.get(row.id) ?? []));
    });
}

// --- internal ---

const last = alias(deployments, "last");

/** A few indexed reads per site. */
const sitesOfMember = prepared((db) => {
  const icon = sql<string | null>`(
    SELECT path FROM deployment_files JOIN contents ON contents.id = content_id
    WHERE deployment_id = ${sites.activeDeploymentId} AND ${isAnyOf(sql`path`, ICON_FILES, "text")}
      AND contents.size <= ${MAX_ICON_BYTES} ORDER BY path DESC LIMIT 1)`;
  const recent = sql`(
    SELECT count(*) FROM deployments WHERE site_id = ${sites.id} AND created_at >= ${sql.placeholder("deployedAt")})`;
  const lastNumber = sql`(SELECT max(number) FROM deployments WHERE site_id = ${sites.id})`;
  const isGone = sql`EXISTS (
    SELECT 1 FROM deployments WHERE deployments.id = ${sites.activeDeploymentId} AND start_page_gone)`;
  const { number, source, actor } = last;
  const counted = { recent: recent.mapWith(Number), startPageGone: isGone.mapWith(Boolean) };
  return db
    .select({ id: sites.id, name: sites.name, icon, ...counted, number, source, actor })
    .from(sites)
    .leftJoin(last, and(eq(last.siteId, sites.id), eq(number, lastNumber)))
    .where(worksOn(sites.id, PERSON))
    .orderBy(asc(sites.name));
});

type ViewDays = SiteActivity["viewDays"];

const viewDaysOfMember = prepared((db) =>
  db
    .select({ siteId: viewDays.siteId, day: viewDays.day, views: viewDays.views })
    .from(sites)
    .innerJoin(viewDays, eq(viewDays.siteId, sites.id))
    .where(and(worksOn(sites.id, PERSON), gte(viewDays.day, sql.placeholder("since")), gt(viewDays.views, 0)))
    .orderBy(asc(viewDays.siteId), asc(viewDays.day)),
);

/** Returns the days with views, by site. */
async function findViewDays(
  db: Drizzle,
  values: Parameters<typeof viewDaysOfMember>[1],
): Promise<ReadonlyMap<number, ViewDays>> {
  const rows = await viewDaysOfMember(db, values);
  const days = Map.groupBy(rows, ({ siteId }) => siteId);
  return new Map([...days].map(([siteId, ofSite]) => [siteId, ofSite.map(({ day, views }) => ({ day, views }))]));
}

type SiteRow = Awaited<ReturnType<typeof sitesOfMember>>[number];

function activityOf(row: SiteRow, viewDays: ViewDays): SiteActivity {
  const { id, name, icon, recent, startPageGone, number, source, actor } = row;
  const isDeployed = number !== null && source !== null && actor !== null;
  const lastDeployment = isDeployed ? { number, source, actor } : null;
  return { siteId: id, siteName: name, icon, viewDays, recentDeployments: recent, lastDeployment, startPageGone };
}
