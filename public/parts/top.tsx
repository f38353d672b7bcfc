import type { JSX } from "preact";
import { useResource } from "../api/resource.ts";
import type { User } from "../api/types.ts";
import { ACCOUNT, consolePath, type Route, SITES } from "../router.ts";
import { OutageBanner } from "./outage-banner.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

export function Top({ route }: { route: Route }): JSX.Element {
  const current = (...pages: Route["page"][]) => (pages.includes(route.page) ? ("page" as const) : undefined);
  const me = useResource<User>("/auth/me");
  return (
    <header class="top">
      <div class="top-inner">
        <a class="wordmark" href={SITES}>
          <img src="/assets/icon.svg" alt="" width="24" height="24" /> Vitrine
        </a>
        <nav aria-label="Main" class="actions">
          <a class="nav-link" href={SITES} aria-current={current("sites", "site")}>
            Sites
          </a>
          {me.data?.operator && (
            <a class="nav-link" href={consolePath()} aria-current={current("console")}>
              Console
            </a>
          )}
          <a class="nav-link" href={ACCOUNT} aria-current={current("account")}>
            Account
          </a>
          <ThemeSwitch />
        </nav>
      </div>
      <OutageBanner />
    </header>
  );
}

export function Foot(): JSX.Element {
  const version = useResource<{ version: string }>("/version", { fixed: true });
  return (
    <footer class="foot">
      <span class="grow">{version.data ? `Vitrine ${version.data.version}` : "\u00a0"}</span>
      <a href="/docs">API reference</a>
      <a href="/openapi.json">OpenAPI</a>
    </footer>
  );
}
