import type { DeploymentSource } from "../../domain/model/deployment.ts";
import type { SiteActivity, SiteStore } from "../../domain/ports/store/sites.ts";
import { ICON_FILES, MAX_ICON_BYTES } from "../../domain/sites/site-icon.ts";
import type { Connection } from "./connection.ts";

interface SiteRow {
  readonly id: number;
  readonly name: string;
  readonly icon: string | null;
  readonly recent: number;
  readonly number: number | null;
  readonly source: DeploymentSource | null;
  readonly actor: string | null;
}

/** A few indexed reads per site. */
const SITES = `
  SELECT sites.id, sites.name,
    (SELECT path FROM deployment_files JOIN contents ON contents.id = content_id
      WHERE deployment_id = sites.active_deployment_id AND path IN (${ICON_FILES.map((path) => `'${path}'`).join(", ")})
        AND contents.size <= ${MAX_ICON_BYTES} ORDER BY path DESC LIMIT 1) AS icon,
    last.number, last.source, last.actor,
    (SELECT count(*) FROM deployments WHERE site_id = sites.id AND created_at >= ?2) AS recent
  FROM sites
  LEFT JOIN deployments AS last ON last.site_id = sites.id
    AND last.number = (SELECT max(number) FROM deployments WHERE site_id = sites.id)
  WHERE sites.owner_id = ?1 ORDER BY sites.name`;

/** Arrays instead of objects: a large list has a hundred thousand rows. */
const VIEWS = `
  SELECT view_days.site_id, view_days.day, view_days.views FROM sites
  JOIN view_days ON view_days.site_id = sites.id AND view_days.day >= ?2
  WHERE sites.owner_id = ?1 AND view_days.views > 0 ORDER BY view_days.site_id, view_days.day`;

export function siteActivity({ raw }: Connection): SiteStore["activityOfOwner"] {
  const sites = raw.prepare<SiteRow, [number, number]>(SITES);
  const views = raw.prepare<unknown, [number, number]>(VIEWS);
  return async (ownerId, since) => {
    const days = new Map<number, { day: number; views: number }[]>();
    for (const [siteId, day, count] of views.values(ownerId, since.day) as [number, number, number][]) {
      const known = days.get(siteId);
      if (known) known.push({ day, views: count });
      else days.set(siteId, [{ day, views: count }]);
    }
    return sites.all(ownerId, since.deployedAt).map((row) => activityOf(row, days.get(row.id) ?? []));
  };
}

function activityOf({ id, name, icon, recent, ...last }: SiteRow, viewDays: SiteActivity["viewDays"]): SiteActivity {
  const { number, source, actor } = last;
  const lastDeployment = number === null || source === null || actor === null ? null : { number, source, actor };
  return { siteId: id, siteName: name, icon, viewDays, recentDeployments: recent, lastDeployment };
}
