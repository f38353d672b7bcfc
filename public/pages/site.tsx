import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { HostingCapability, Site } from "../api/types.ts";
import { requestDeploy } from "../deploy/request.ts";
import { formatMoment } from "../format.ts";
import { CopyButton, Loaded, NotLoaded, Page, SkeletonRows } from "../parts/basics.tsx";
import { Icon } from "../parts/icons.tsx";
import { forgetSite } from "../parts/of-site.ts";
import { TopTabs } from "../parts/tabs.tsx";
import { type SettingsPanel, SITE_TABS, SITES, type SiteTab, sitePath } from "../router.ts";
import { ActivityTab } from "./site/activity.tsx";
import { AnalyticsTab } from "./site/analytics.tsx";
import { DeploymentsTab } from "./site/deployments.tsx";
import { ExplainTab } from "./site/explain.tsx";
import { SettingsTab } from "./site/settings.tsx";

const TITLES: Record<SiteTab, string> = {
  overview: "Overview",
  deployments: "Deployments",
  analytics: "Analytics",
  explain: "Explain",
  settings: "Settings",
  activity: "Activity",
};

interface Props {
  readonly site: string;
  readonly tab: SiteTab;
  readonly panel: SettingsPanel | null;
}

export function SitePage({ site: name, tab, panel }: Props): JSX.Element {
  const sites = useResource<Site[]>("/sites");
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  const site = sites.data?.find((known) => known.name === name);
  const isUnknown = sites.data !== undefined && site === undefined;
  const url = site && hosting.data?.site_url.replace("{site}", () => site.name);
  return (
    <Page title={`${name} · ${TITLES[tab]}`} tabs={!isUnknown && <Tabs site={name} current={tab} />}>
      <div class="site-head">
        <div class="head">
          <div class="grow">
            <h1 tabIndex={-1}>
              {name}{" "}
              {site?.private && (
                <span class="badge">
                  <Icon name="lock" size={12} /> Private
                </span>
              )}
              {site?.frozen && <span class="badge bad">Frozen</span>}
            </h1>
            {!isUnknown && <Address url={url} />}
          </div>
          {!isUnknown && (
            <div class="actions">
              <Visit url={url} />
              <button
                type="button"
                class="button primary"
                aria-disabled={site === undefined || site.frozen !== undefined}
                {...(site?.frozen ? { title: "The site is frozen", "aria-describedby": "frozen" } : {})}
                onClick={() => requestDeploy({ site: name, dropped: null })}
              >
                <Icon name="upload" /> Deploy
              </button>
            </div>
          )}
        </div>
        <NotLoaded resource={hosting} what="the address" />
      </div>
      {site?.frozen && <FrozenNotice {...site.frozen} />}
      <Loaded resource={sites} what={name} skeleton={<SkeletonRows rows={4} />}>
        {() => (site ? <Tab site={site} tab={tab} panel={panel} /> : <NoSite name={name} />)}
      </Loaded>
    </Page>
  );
}

function FrozenNotice({ since, reason }: NonNullable<Site["frozen"]>): JSX.Element {
  return (
    <p class="notice error" id="frozen">
      The operator of this server froze this site on {formatMoment(since)}
      {reason === null ? "." : `: ${reason}${/[.!?]$/.test(reason) ? "" : "."}`} Visitors cannot open it. You can view,
      download and delete it; for anything else, ask the operator.
    </p>
  );
}

/** Reserves its line until the URL is loaded. */
function Address({ url }: { url: string | undefined }): JSX.Element {
  if (url === undefined) return <p class="address">&nbsp;</p>;
  return (
    <p class="address">
      <a href={url} target="_blank" rel="noopener">
        {url.replace(/^https?:\/\//, "")}
      </a>
      <CopyButton text={url} label="the address" />
    </p>
  );
}

/** Reserves its place until the URL is loaded. */
function Visit({ url }: { url: string | undefined }): JSX.Element {
  const face = (
    <>
      Visit <Icon name="arrowUpRight" />
    </>
  );
  if (url === undefined) {
    return (
      <button type="button" class="button" aria-disabled="true">
        {face}
      </button>
    );
  }
  return (
    <a class="button" href={url} target="_blank" rel="noopener">
      {face}
    </a>
  );
}

function Tabs({ site, current }: { site: string; current: SiteTab }): JSX.Element {
  const tabs = SITE_TABS.map((tab) => ({ href: sitePath(site, tab), name: TITLES[tab], current: tab === current }));
  return <TopTabs label={site} tabs={tabs} />;
}

function Tab({ site, tab, panel }: { site: Site; tab: SiteTab; panel: SettingsPanel | null }): JSX.Element {
  switch (tab) {
    case "overview":
    case "deployments":
      return <DeploymentsTab site={site} />;
    case "analytics":
      return <AnalyticsTab site={site} />;
    case "explain":
      return <ExplainTab site={site} />;
    case "settings":
      return <SettingsTab site={site} panel={panel ?? "access"} />;
    case "activity":
      return <ActivityTab site={site} />;
  }
}

function NoSite({ name }: { name: string }): JSX.Element {
  useEffect(() => forgetSite(name), [name]);
  return (
    <div class="empty" role="alert">
      <h2>Site not found</h2>
      <p>You have no site named {name}. It may have been deleted, or belong to somebody else.</p>
      <div class="actions">
        <a class="button" href={SITES}>
          Go to your sites
        </a>
      </div>
    </div>
  );
}
