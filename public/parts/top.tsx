import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { look, useOutage } from "../api/freshness.ts";
import { useResource } from "../api/resource.ts";
import type { User } from "../api/types.ts";
import { formatTime } from "../format.ts";
import { ACCOUNT, consolePath, type Route, SITES } from "../router.ts";
import { Icon, type IconName } from "./icons.tsx";

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

/** Reports an outage. It overlaps the page's margin to avoid layout shifts. */
function OutageBanner(): JSX.Element {
  const outage = useOutage();
  return (
    <div role="status">
      {outage && (
        <div class="banner">
          <Icon name="warning" size={14} />
          <span>
            The server cannot be reached.
            <span class="wide-only">
              {outage.since !== null && ` This data is from ${formatTime(outage.since)}.`} Retrying …
            </span>
          </span>
          <button type="button" onClick={look}>
            Retry now
          </button>
        </div>
      )}
    </div>
  );
}

const KEY = "vitrine.theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const ICONS: Record<Theme, IconName> = { system: "monitor", light: "sun", dark: "moon" };

/** Cycles through system, light and dark. */
function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(
    () => THEMES.find((name) => name === localStorage.getItem(KEY)) ?? "system",
  );
  const turn = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    setTheme(next);
    apply(next);
  };
  const label = `Theme: ${theme}`;
  return (
    <button type="button" class="button quiet icon" aria-label={label} title={label} onClick={turn}>
      <Icon name={ICONS[theme]} />
    </button>
  );
}

function apply(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") {
    localStorage.removeItem(KEY);
    delete dataset.theme;
  } else {
    localStorage.setItem(KEY, theme);
    dataset.theme = theme;
  }
  // The charts use the colours of the page.
  dispatchEvent(new Event("vitrine:theme"));
}
