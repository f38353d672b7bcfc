import type { JSX } from "preact";
import { useResource } from "../api/resource.ts";
import type { User } from "../api/types.ts";
import { Page } from "../parts/basics.tsx";
import { CONSOLE_TABS, type ConsoleTab, consolePath, SITES } from "../router.ts";
import { AllSitesTab } from "./console/all-sites.tsx";
import { AuditTab } from "./console/audit.tsx";
import { PeopleTab } from "./console/people.tsx";
import { ServerSettingsTab } from "./console/server-settings.tsx";

const TITLES: Record<ConsoleTab, string> = {
  people: "People",
  sites: "All sites",
  audit: "Audit log",
  settings: "Settings",
};

/** The console of the operators. */
export function ConsolePage({ tab }: { tab: ConsoleTab }): JSX.Element {
  const me = useResource<User>("/auth/me");
  if (me.data && !me.data.operator) return <NotOperator />;
  return (
    <Page title={`Console · ${TITLES[tab]}`}>
      <div class="site-head">
        <div class="page-head">
          <h1 class="grow" tabIndex={-1}>
            Console
          </h1>
        </div>
        <nav class="tabs" aria-label="Console">
          {CONSOLE_TABS.map((name) => (
            <a key={name} href={consolePath(name)} aria-current={name === tab ? "page" : undefined}>
              {TITLES[name]}
            </a>
          ))}
        </nav>
      </div>
      <Tab tab={tab} />
    </Page>
  );
}

function Tab({ tab }: { tab: ConsoleTab }): JSX.Element {
  switch (tab) {
    case "people":
      return <PeopleTab />;
    case "sites":
      return <AllSitesTab />;
    case "audit":
      return <AuditTab />;
    case "settings":
      return <ServerSettingsTab />;
  }
}

function NotOperator(): JSX.Element {
  return (
    <Page title="Console">
      <div class="face" role="alert">
        <h1 tabIndex={-1}>For operators</h1>
        <p>You do not operate this server. Whoever installed it can change that on the command line.</p>
        <div class="actions">
          <a class="button" href={SITES}>
            Go to your sites
          </a>
        </div>
      </div>
    </Page>
  );
}
