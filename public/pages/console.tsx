import type { JSX } from "preact";
import { useResource } from "../api/resource.ts";
import type { User } from "../api/types.ts";
import { Page, SitesLink } from "../parts/basics.tsx";
import { NoTabs, TopTabs } from "../parts/tabs.tsx";
import { CONSOLE_TABS, type ConsoleTab, consolePath } from "../router.ts";
import { AllSitesTab } from "./console/all-sites.tsx";
import { AuditTab } from "./console/audit.tsx";
import { BackupsTab } from "./console/backups.tsx";
import { JobsTab } from "./console/jobs.tsx";
import { OverviewTab } from "./console/overview.tsx";
import { PeopleTab } from "./console/people.tsx";
import { ServerSettingsTab } from "./console/server-settings.tsx";

const TITLES: Record<ConsoleTab, string> = {
  overview: "Overview",
  people: "People",
  sites: "Sites",
  jobs: "Jobs",
  backups: "Backups",
  audit: "Audit log",
  settings: "Settings",
};

export function ConsolePage({ tab }: { tab: ConsoleTab }): JSX.Element {
  const me = useResource<User>("/auth/me");
  if (me.data && !me.data.operator) return <NotOperator />;
  return (
    <Page title={tab === "overview" ? "Console" : `Console · ${TITLES[tab]}`} tabs={<Tabs current={tab} />}>
      <Tab tab={tab} />
    </Page>
  );
}

function Tabs({ current }: { current: ConsoleTab }): JSX.Element {
  const tabs = CONSOLE_TABS.map((tab) => ({ href: consolePath(tab), name: TITLES[tab], current: tab === current }));
  return <TopTabs label="Console" tabs={tabs} />;
}

function Tab({ tab }: { tab: ConsoleTab }): JSX.Element {
  switch (tab) {
    case "overview":
      return <OverviewTab />;
    case "people":
      return <PeopleTab />;
    case "sites":
      return <AllSitesTab />;
    case "jobs":
      return <JobsTab />;
    case "backups":
      return <BackupsTab />;
    case "audit":
      return <AuditTab />;
    case "settings":
      return <ServerSettingsTab />;
  }
}

function NotOperator(): JSX.Element {
  return (
    <Page title="Console" tabs={<NoTabs />}>
      <div class="empty" role="alert">
        <h1 tabIndex={-1}>For operators</h1>
        <p>You do not operate this server. Whoever installed it can change that on the command line.</p>
        <SitesLink />
      </div>
    </Page>
  );
}
