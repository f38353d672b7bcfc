import type { Caller } from "../model/caller.ts";
import { type ConnectionStatus, connectionStatus } from "../model/claim.ts";
import { dayOf } from "../model/view-delta.ts";
import type { SiteActivity } from "../ports/store/sites.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";

interface SiteFiguresPorts {
  readonly store: Pick<Store, "sites" | "claims">;
  readonly clock: Clock;
}

const DAYS = 30;

/** The additional data of a site in a list. `icon` is its path on the site's own host. */
export interface SiteFigures extends Omit<SiteActivity, "siteId" | "viewDays"> {
  /** Views of each of the last 30 days in UTC, oldest first; the last one is incomplete. */
  readonly dailyViews: readonly number[];
  /** Views of the 30 days before. */
  readonly viewsBefore: number;
  /** Open claims, oldest first. */
  readonly domains: readonly { readonly hostname: string; readonly status: ConnectionStatus }[];
}

/** Returns the figures of all sites on which the caller works, by name. */
export async function figuresOfOwnSites(
  { store, clock }: SiteFiguresPorts,
  caller: Caller & { readonly kind: "session" },
): Promise<readonly SiteFigures[]> {
  const today = dayOf(clock.now());
  const since = { day: today - 2 * DAYS + 1, deployedAt: clock.now() - DAYS * DAY };
  const [sites, claims] = await Promise.all([
    store.sites.activityOfMember(caller.user.id, since, caller.at),
    store.claims.listOpenOfMember(caller.user.id, caller.at),
  ]);
  const domains = Map.groupBy(claims, ({ siteId }) => siteId);
  return sites.map(({ siteId, viewDays, icon, ...activity }) => ({
    ...activity,
    ...viewsOf(viewDays, today),
    icon: icon && `/${icon}`,
    domains: (domains.get(siteId) ?? []).map((claim) => ({
      hostname: claim.hostname,
      status: connectionStatus(claim),
    })),
  }));
}

// --- internal ---

function viewsOf(viewDays: SiteActivity["viewDays"], today: number): Pick<SiteFigures, "dailyViews" | "viewsBefore"> {
  const first = today - DAYS + 1;
  const dailyViews = new Array<number>(DAYS).fill(0);
  let viewsBefore = 0;
  for (const { day, views } of viewDays) {
    if (day < first) viewsBefore += views;
    else if (day <= today) dailyViews[day - first] = views;
  }
  return { dailyViews, viewsBefore };
}
