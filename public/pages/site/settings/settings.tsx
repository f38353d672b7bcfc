import type { JSX } from "preact";
import type { DomainClaim, Site } from "../../../api/types.ts";
import type { IconName } from "../../../parts/icons.tsx";
import { SideNav } from "../../../parts/tabs.tsx";
import { SETTINGS_PANELS, type SettingsPanel, settingsPath } from "../../../router.ts";
import { AccessTab } from "./access.tsx";
import { isOpen } from "./claim-steps.ts";
import { DangerZone } from "./danger.tsx";
import { DomainsTab } from "./domains.tsx";
import { RetentionSection } from "./retention.tsx";
import { SharesPanel } from "./shares.tsx";
import { SiteExpirySection } from "./site-expiry.tsx";
import { TokensTab } from "./tokens.tsx";
import { WebhooksTab } from "./webhooks.tsx";

const LINKS: Readonly<Record<SettingsPanel, readonly [title: string, icon: IconName]>> = {
  access: ["Access", "lock"],
  domains: ["Domains", "globe"],
  tokens: ["CI access", "key"],
  shares: ["Shares", "users"],
  webhooks: ["Webhooks", "bell"],
  retention: ["Retention", "archive"],
  danger: ["Danger zone", "trash"],
};

interface Props {
  readonly site: Site;
  readonly panel: SettingsPanel;
  readonly claims: readonly DomainClaim[];
}

export function SettingsTab({ site, panel, claims }: Props): JSX.Element {
  const steps = claims.filter((claim) => isOpen(claim) && claim.connection_status !== "connected").length;
  const tabs = SETTINGS_PANELS.map((name) => {
    const [title, icon] = LINKS[name];
    const tab = { href: settingsPath(site.name, name), name: title, icon, current: name === panel };
    return name === "domains" && steps > 0 ? { ...tab, end: <StepsLeft steps={steps} /> } : tab;
  });
  return (
    <div class="with-side">
      <SideNav label="Settings" tabs={tabs} />
      <div class="panel">
        <Panel site={site} panel={panel} />
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
