import type { JSX } from "preact";
import type { DomainClaim, Site } from "../../../api/types.ts";
import { SideNav } from "../../../parts/tabs.tsx";
import { type SettingsPanel, settingsPath } from "../../../router.ts";
import { AccessTab } from "./access.tsx";
import { isOpen } from "./claim-steps.ts";
import { DangerZone } from "./danger.tsx";
import { DomainsTab } from "./domains.tsx";
import { MembersPanel } from "./members.tsx";
import { PANELS, panelsOf } from "./panels.ts";
import { RetentionSection } from "./retention.tsx";
import { SharesPanel } from "./shares.tsx";
import { SiteExpirySection } from "./site-expiry.tsx";
import { TokensTab } from "./tokens.tsx";
import { WebhooksTab } from "./webhooks.tsx";

interface Props {
  readonly site: Site;
  readonly panel: SettingsPanel;
  readonly claims: readonly DomainClaim[];
}

export function SettingsTab({ site, panel, claims }: Props): JSX.Element {
  const steps = claims.filter((claim) => isOpen(claim) && claim.connection_status !== "connected").length;
  const offered = panelsOf(site.role);
  const shown = offered.includes(panel) ? panel : "members";
  const tabs = offered.map((name) => {
    const { title, icon } = PANELS[name];
    const tab = { href: settingsPath(site.name, name), name: title, icon, current: name === shown };
    return name === "domains" && steps > 0 ? { ...tab, end: <StepsLeft steps={steps} /> } : tab;
  });
  return (
    <div class="with-side">
      <SideNav label="Settings" tabs={tabs} />
      <div class="panel">
        <Panel site={site} panel={shown} />
      </div>
    </div>
  );
}

/** The number of domains that are not connected yet, or need action. */
function StepsLeft({ steps }: { steps: number }): JSX.Element {
  return (
    <span class="badge accent">
      {steps}
      <span class="visually-hidden"> not connected</span>
    </span>
  );
}

function Panel({ site, panel }: { site: Site; panel: SettingsPanel }): JSX.Element {
  switch (panel) {
    case "access":
      return <AccessTab site={site} />;
    case "members":
      return <MembersPanel site={site} />;
    case "domains":
      return <DomainsTab site={site} />;
    case "tokens":
      return <TokensTab site={site} />;
    case "shares":
      return <SharesPanel site={site} />;
    case "webhooks":
      return <WebhooksTab site={site} />;
    case "retention":
      return (
        <>
          <RetentionSection site={site} />
          <SiteExpirySection site={site} />
        </>
      );
    case "danger":
      return <DangerZone site={site} />;
  }
}
