import type { JSX } from "preact";
import type { Site } from "../../api/types.ts";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { SETTINGS_PANELS, type SettingsPanel, settingsPath } from "../../router.ts";
import { AccessTab } from "./access.tsx";
import { DangerZone } from "./danger.tsx";
import { DomainsTab } from "./domains.tsx";
import { RetentionSection } from "./retention.tsx";
import { TokensTab } from "./tokens.tsx";
import { WebhooksTab } from "./webhooks.tsx";

const LINKS: Readonly<Record<SettingsPanel, readonly [title: string, icon: IconName]>> = {
  access: ["Access", "lock"],
  domains: ["Domains", "globe"],
  tokens: ["Tokens and publishers", "key"],
  webhooks: ["Webhooks", "bell"],
  retention: ["Retention", "folder"],
  danger: ["Danger zone", "trash"],
};

export function SettingsTab({ site, panel }: { site: Site; panel: SettingsPanel }): JSX.Element {
  return (
    <div class="with-side">
      <nav class="side-nav" aria-label="Settings">
        {SETTINGS_PANELS.map((name) => (
          <a key={name} href={settingsPath(site.name, name)} aria-current={name === panel ? "page" : undefined}>
            <Icon name={LINKS[name][1]} /> {LINKS[name][0]}
          </a>
        ))}
      </nav>
      <div class="panel">
        <Panel site={site} panel={panel} />
      </div>
    </div>
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
    case "webhooks":
      return <WebhooksTab site={site} />;
    case "retention":
      return <RetentionSection site={site} />;
    case "danger":
      return <DangerZone site={site} />;
  }
}
