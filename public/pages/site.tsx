import type { JSX } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import { together } from "../api/together.ts";
import type { DomainClaim, HostingCapability, Member, Site } from "../api/types.ts";
import { Loaded, NotLoaded, Page, SitesLink, SkeletonRows } from "../parts/basics.tsx";
import { lazy } from "../parts/lazy.tsx";
import { forgetSite } from "../parts/of-site.ts";
import { NoTabs, TopTabs } from "../parts/tabs.tsx";
import { replacePath, type SettingsPanel, SITE_TABS, type SiteTab, sitePath } from "../router.ts";
import { ActivityTab } from "./site/activity.tsx";
import { AnalyticsTab } from "./site/analytics.tsx";
import { DeploymentsTab } from "./site/deployments/deployments.tsx";
import { ExpiredBanner, FrozenBanner, HiddenHeading, hasExpired, SiteHead } from "./site/head.tsx";
import { OverviewTab } from "./site/overview/overview.tsx";

/** Half of the page's code, which most visits of a site do not need. */
const ExplainTab = lazy(() => import("./site/explain/explain.tsx").then((file) => file.ExplainTab), Rows);
const FilesPage = lazy(() => import("./site/files/files.tsx").then((file) => file.FilesPage), Rows);
const ReportPage = lazy(() => import("./site/report/report.tsx").then((file) => file.ReportPage), Rows);
const SettingsTab = lazy(() => import("./site/settings/settings.tsx").then((file) => file.SettingsTab), Rows);

function Rows(): JSX.Element {
  return (
    <div aria-busy="true">
      <SkeletonRows rows={4} />
    </div>
  );
}

const TITLES: Record<SiteTab, string> = {
  overview: "Overview",
  deployments: "Deployments",
  analytics: "Analytics",
  explain: "Explain",
  settings: "Settings",
  activity: "Activity",
  files: "Files",
  report: "Report",
};

interface Props {
  readonly site: string;
  readonly tab: SiteTab;
  readonly panel: SettingsPanel | null;
}

export function SitePage({ site: name, tab, panel }: Props): JSX.Element {
  const sites = useResource<Site[]>("/sites");
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  const domains = useResource<DomainClaim[]>(`/sites/${name}/domains`);
  const claims = domains.data ?? [];
  const site = sites.data?.find((known) => known.name === name);
  const isUnknown = useIsUnknown(name, sites.data);
  const url = site && hosting.data?.site_url.replace("{site}", () => site.name);
  const hosts = hostsOf(url, claims);
  return (
    <Page title={`${name} · ${TITLES[tab]}`} tabs={isUnknown ? <NoTabs /> : <Tabs site={name} current={tab} />}>
      {isUnknown ? (
        <HiddenHeading title={name} />
      ) : (
        <SiteHead name={name} site={site} tab={tab} url={url} hosts={hosts} />
      )}
      {tab === "overview" && <NotLoaded resource={hosting} what="the URL" />}
      {site?.frozen && <FrozenBanner {...site.frozen} role={site.role} />}
      {site && !site.frozen && hasExpired(site) && <ExpiredBanner {...site} />}
      <Loaded resource={site ? together(sites, domains) : sites} what={name} skeleton={<SkeletonRows rows={4} />}>
        {() =>
          site ? <Tab {...{ site, tab, panel, claims, hosts }} /> : isUnknown ? <NoSite name={name} /> : <Rows />
        }
      </Loaded>
    </Page>
  );
}

/**
 * Returns whether the user has no site of this name. A site that has another name now is opened under it: the API
 * answers former names as well, and the owner of a site was added when it was created.
 */
function useIsUnknown(name: string, sites: readonly Site[] | undefined): boolean {
  const isMissing = sites !== undefined && !sites.some((known) => known.name === name);
  const members = useResource<Member[]>(`/sites/${name}/members`, { when: isMissing });
  const created = members.data?.[0]?.added_at;
  const renamed = isMissing ? sites.find((known) => known.created === created) : undefined;
  useLayoutEffect(() => {
    if (renamed) replacePath(sitePath(renamed.name) + location.pathname.slice(sitePath(name).length) + location.search);
  });
  return isMissing && !renamed && (members.data ?? members.error) !== undefined;
}

/** The hosts that show the active deployment, starting with that of this server. */
function hostsOf(url: string | undefined, claims: readonly DomainClaim[]): readonly string[] {
  const connected = claims.filter((claim) => claim.connection_status === "connected" && claim.target === null);
  return [...(url ? [new URL(url).host] : []), ...connected.map(({ hostname }) => hostname)];
}

function Tabs({ site, current }: { site: string; current: SiteTab }): JSX.Element {
  const shown = current === "files" || current === "report" ? "deployments" : current;
  const tabs = SITE_TABS.map((tab) => ({ href: sitePath(site, tab), name: TITLES[tab], current: tab === shown }));
  return <TopTabs label={site} tabs={tabs} />;
}

interface TabProps {
  readonly site: Site;
  readonly tab: SiteTab;
  readonly panel: SettingsPanel | null;
  readonly claims: readonly DomainClaim[];
  readonly hosts: readonly string[];
}

function Tab({ site, tab, panel, claims, hosts }: TabProps): JSX.Element {
  switch (tab) {
    case "overview":
      return <OverviewTab site={site} claims={claims} hosts={hosts} />;
    case "deployments":
      return <DeploymentsTab site={site} hosts={hosts} />;
    case "analytics":
      return <AnalyticsTab site={site} />;
    case "explain":
      return <ExplainTab site={site} />;
    case "settings":
      return <SettingsTab site={site} panel={panel ?? "access"} claims={claims} />;
    case "activity":
      return <ActivityTab site={site} />;
    case "files":
      return <FilesPage site={site} />;
    case "report":
      return <ReportPage site={site} />;
  }
}

function NoSite({ name }: { name: string }): JSX.Element {
  useEffect(() => forgetSite(name), [name]);
  return (
    <div class="empty" role="alert">
      <h2>Site not found</h2>
      <p>You have no site named {name}. It may have been deleted, or belong to somebody else.</p>
      <SitesLink />
    </div>
  );
}
