import type { JSX } from "preact";
import { reloadPage, useOutage } from "../api/freshness.ts";
import { useResource } from "../api/resource.ts";
import type { User, VersionReport } from "../api/types.ts";
import { openKeys, openPalette } from "../commands/shortcuts.tsx";
import { formatTime } from "../format.ts";
import { AccountMenu } from "../parts/account-menu.tsx";
import { Icon } from "../parts/icons.tsx";
import { consolePath, type Route, SITES, sitePath } from "../router.ts";

export function Top({ route }: { route: Route }): JSX.Element {
  const me = useResource<User>("/auth/me");
  return (
    <header class="top">
      <div class="bar">
        <a class="mark" href={SITES}>
          <img src="/assets/icon.svg" alt="Vitrine, all sites" width="22" height="22" />
        </a>
        <Crumbs route={route} />
        {/* Before what is there from the start, so that nothing moves when it comes. */}
        {me.data?.operator && (
          <a class="crumb wide-only" href={consolePath()} aria-current={route.page === "console" ? "page" : undefined}>
            Console
          </a>
        )}
        <button type="button" class="find" aria-keyshortcuts="Control+K" aria-haspopup="dialog" onClick={openPalette}>
          <Icon name="search" />
          <span class="grow">Search or jump to</span>
          <kbd>Ctrl K</kbd>
        </button>
        <AccountMenu me={me.data} />
      </div>
      <OutageBanner />
    </header>
  );
}

/** The breadcrumbs: always the list of sites, then the site. */
function Crumbs({ route }: { route: Route }): JSX.Element {
  const site = route.page === "site" ? route.site : null;
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        <li>
          <a class="crumb" href={SITES} aria-current={route.page === "sites" ? "page" : undefined}>
            Sites
          </a>
        </li>
        {site !== null && (
          <li>
            <a class="crumb current" href={sitePath(site)}>
              <span class="cut">{site}</span>
            </a>
          </li>
        )}
      </ol>
    </nav>
  );
}

export function Foot(): JSX.Element {
  const version = useResource<VersionReport>("/version", { fixed: true });
  return (
    <footer class="foot">
      <span class="grow">{version.data ? `Vitrine ${version.data.version}` : "\u00a0"}</span>
      <a href="/docs">API reference</a>
      <button type="button" class="text-button" onClick={openKeys}>
        Keyboard shortcuts
      </button>
    </footer>
  );
}

/** Reports an outage. It overlaps the page's margin to avoid layout shifts. */
function OutageBanner(): JSX.Element {
  const outage = useOutage();
  return (
    <div role="status">
      {outage && (
        <div class="banner warn strip">
          <Icon name="warning" />
          <p class="grow">
            <strong>The server cannot be reached.</strong>
            <span class="wide-only">
              {outage.since !== null && ` This data is from ${formatTime(outage.since)}.`} Retrying …
            </span>
          </p>
          <button type="button" class="strip-button" onClick={reloadPage}>
            Retry now
          </button>
        </div>
      )}
    </div>
  );
}
