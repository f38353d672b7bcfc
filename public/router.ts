import { useEffect, useState } from "preact/hooks";

/** The tabs of a site in order. */
export const SITE_TABS = ["overview", "deployments", "analytics", "explain", "settings"] as const;
/** Pages of a site without a tab. */
const OTHER_PAGES = ["activity", "files", "report"] as const;
export type SiteTab = (typeof SITE_TABS)[number] | (typeof OTHER_PAGES)[number];

/** The pages of a site's settings, in the order of the side navigation. */
export const SETTINGS_PANELS = [
  "access",
  "members",
  "domains",
  "tokens",
  "shares",
  "webhooks",
  "retention",
  "danger",
] as const;
export type SettingsPanel = (typeof SETTINGS_PANELS)[number];

export const CONSOLE_TABS = ["overview", "people", "sites", "jobs", "backups", "audit", "settings"] as const;
export type ConsoleTab = (typeof CONSOLE_TABS)[number];

export const ACCOUNT_TABS = ["account", "sessions", "agents", "command-line"] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];

/** Every page of the dashboard. `/` and `/dashboard/…` are pages; all other paths of the host are the API's. */
export type Route =
  | { readonly page: "sites" }
  | { readonly page: "site"; readonly site: string; readonly tab: SiteTab; readonly panel: SettingsPanel | null }
  | { readonly page: "account"; readonly tab: AccountTab }
  | { readonly page: "console"; readonly tab: ConsoleTab }
  | { readonly page: "missing" };

export const SITES = "/";

export function accountPath(tab: AccountTab = "account"): string {
  return tab === "account" ? "/dashboard/account" : `/dashboard/account/${tab}`;
}

export function consolePath(tab: ConsoleTab = "overview"): string {
  return tab === "overview" ? "/dashboard/console" : `/dashboard/console/${tab}`;
}

export function sitePath(site: string, tab: SiteTab = "overview"): string {
  const path = `/dashboard/sites/${site}`;
  return tab === "overview" ? path : `${path}/${tab}`;
}

/** The tab itself shows the first panel. */
export function settingsPath(site: string, panel: SettingsPanel): string {
  const path = sitePath(site, "settings");
  return panel === SETTINGS_PANELS[0] ? path : `${path}/${panel}`;
}

/** Tabs of earlier versions that became settings pages. Their URLs are in bookmarks and messages. */
const FORMER_TABS: readonly string[] = ["access", "domains", "tokens", "webhooks"] satisfies SettingsPanel[];

/** Returns the current path of a page of the dashboard. */
export function currentPath(pathname: string): string {
  const route = routeOf(pathname);
  return route?.page === "site" && route.panel !== null ? settingsPath(route.site, route.panel) : pathname;
}

/** A valid site name. Nothing else is requested or put into a URL. */
const SITE_NAME = /^(?=.{1,50}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** Returns the route of a path, or null if it does not belong to the dashboard. */
export function routeOf(pathname: string): Route | null {
  const [first, second, site, ...rest] = pathname.split("/").filter((segment) => segment !== "");
  if (first === undefined) return { page: "sites" };
  if (first !== "dashboard") return null;
  if (second === undefined || (second === "sites" && site === undefined)) return { page: "sites" };
  if (second === "account") return accountRoute(site, rest[0]);
  if (second === "console") return consoleRoute(site, rest[0]);
  if (second !== "sites" || site === undefined || !SITE_NAME.test(site)) return { page: "missing" };
  return siteRoute(site, rest);
}

function siteRoute(site: string, [tab = "overview", panel, ...rest]: readonly string[]): Route {
  if (rest.length > 0) return { page: "missing" };
  if (panel === undefined && FORMER_TABS.includes(tab)) return siteRoute(site, ["settings", tab]);
  if (tab === "settings") {
    const known = SETTINGS_PANELS.find((name) => name === (panel ?? SETTINGS_PANELS[0]));
    return known ? { page: "site", site, tab, panel: known } : { page: "missing" };
  }
  const known = [...SITE_TABS, ...OTHER_PAGES].find((name) => name === tab);
  return known && panel === undefined ? { page: "site", site, tab: known, panel: null } : { page: "missing" };
}

function accountRoute(tab = "account", more: string | undefined): Route {
  const known = ACCOUNT_TABS.find((name) => name === tab);
  return known && more === undefined ? { page: "account", tab: known } : { page: "missing" };
}

function consoleRoute(tab = "overview", more: string | undefined): Route {
  const known = CONSOLE_TABS.find((name) => name === tab);
  return known && more === undefined ? { page: "console", tab: known } : { page: "missing" };
}

const MOVED = "vitrine:moved";

export function navigate(path: string): void {
  history.pushState(null, "", path);
  scrollTo(0, 0);
  dispatchEvent(new Event(MOVED));
}

/** Opens a part of a page that is in the query, such as a dialog, without scrolling. */
export function openQuery(path: string): void {
  history.pushState(null, "", path);
  dispatchEvent(new Event(MOVED));
}

/** Replaces the path of the current history entry, with its query, without scrolling. */
export function replacePath(path: string): void {
  history.replaceState(null, "", path);
  dispatchEvent(new Event(MOVED));
}

/** Returns the current route, and handles plain links of the dashboard without loading a new page. */
export function useRoute(): Route {
  // A new object also for the same path, because pages read the query of the URL themselves.
  const [route, setRoute] = useState(() => routeOf(location.pathname));
  useEffect(() => {
    const follow = () => {
      const now = currentPath(location.pathname);
      if (now !== location.pathname) history.replaceState(history.state, "", now + location.search);
      setRoute(routeOf(now));
    };
    follow();
    addEventListener("popstate", follow);
    addEventListener(MOVED, follow);
    document.addEventListener("click", followLink);
    return () => {
      removeEventListener("popstate", follow);
      removeEventListener(MOVED, follow);
      document.removeEventListener("click", followLink);
    };
  }, []);
  return route ?? { page: "missing" };
}

/** Ignores links to other windows, downloads, and other pages. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (routeOf(link.pathname) === null || link.hash !== "") return;
  event.preventDefault();
  if (link.href !== location.href) navigate(link.pathname + link.search);
}
