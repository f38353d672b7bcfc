import { useEffect, useState } from "preact/hooks";

export const SITE_TABS = [
  "deployments",
  "analytics",
  "access",
  "domains",
  "tokens",
  "webhooks",
  "activity",
  "settings",
] as const;
export type SiteTab = (typeof SITE_TABS)[number];

export const CONSOLE_TABS = ["people", "sites", "audit", "settings"] as const;
export type ConsoleTab = (typeof CONSOLE_TABS)[number];

/** Every page of the dashboard. `/` and `/dashboard/…` are pages; all other paths of the host are the API's. */
export type Route =
  | { readonly page: "sites" }
  | { readonly page: "site"; readonly site: string; readonly tab: SiteTab }
  | { readonly page: "account" }
  | { readonly page: "console"; readonly tab: ConsoleTab }
  | { readonly page: "missing" };

export const SITES = "/";
export const ACCOUNT = "/dashboard/account";

export function consolePath(tab: ConsoleTab = "people"): string {
  return tab === "people" ? "/dashboard/console" : `/dashboard/console/${tab}`;
}

export function sitePath(site: string, tab: SiteTab = "deployments"): string {
  const path = `/dashboard/sites/${site}`;
  return tab === "deployments" ? path : `${path}/${tab}`;
}

/** A valid site name. Nothing else is requested or put into a URL. */
const SITE_NAME = /^(?=.{1,50}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** Returns the route of a path, or null if it does not belong to the dashboard. */
export function routeOf(pathname: string): Route | null {
  const [first, second, site, tab, ...rest] = pathname.split("/").filter((segment) => segment !== "");
  if (first === undefined) return { page: "sites" };
  if (first !== "dashboard") return null;
  if (second === undefined || (second === "sites" && site === undefined)) return { page: "sites" };
  if (second === "account" && site === undefined) return { page: "account" };
  if (second === "console") return consoleRoute(site, tab);
  const known = SITE_TABS.find((name) => name === (tab ?? "deployments"));
  if (second !== "sites" || site === undefined || known === undefined || rest.length > 0) return { page: "missing" };
  return SITE_NAME.test(site) ? { page: "site", site, tab: known } : { page: "missing" };
}

function consoleRoute(tab = "people", more: string | undefined): Route {
  const known = CONSOLE_TABS.find((name) => name === tab);
  return known && more === undefined ? { page: "console", tab: known } : { page: "missing" };
}

const MOVED = "vitrine:moved";

export function navigate(path: string): void {
  history.pushState(null, "", path);
  scrollTo(0, 0);
  dispatchEvent(new Event(MOVED));
}

/** Replaces the query of the current history entry. */
export function replaceQuery(query: string): void {
  history.replaceState(null, "", query);
  dispatchEvent(new Event(MOVED));
}

/** Returns the current route, and handles plain links of the dashboard without loading a new page. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.pathname));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.pathname));
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
