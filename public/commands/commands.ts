import type { Site, User } from "../api/types.ts";
import { requestDeploy } from "../deploy/request.ts";
import { PANELS, panelsOf } from "../pages/site/settings/panels.ts";
import { copyUrl } from "../parts/basics.tsx";
import { chooseTheme, nextTheme, THEME_ICONS } from "../parts/theme.ts";
import { accountPath, consolePath, type SettingsPanel, SITES, settingsPath, sitePath } from "../router.ts";
import type { Command, CommandGroup } from "./command.ts";

interface Place {
  readonly me: User | undefined;
  /** The site of the current page, if it is the user's. */
  readonly site: Site | undefined;
  /** The URL of that site. */
  readonly url: string | undefined;
  readonly theme: Parameters<typeof nextTheme>[0];
  readonly showKeys: () => void;
  readonly signOut: () => void;
}

/** Returns the available commands, in the order of the palette. */
export function commandsAt(place: Place): CommandGroup[] {
  return [...(place.site ? [ofSite(place.site, place.url)] : []), everywhere(place)];
}

function ofSite({ name, frozen, role }: Site, url: string | undefined): CommandGroup {
  const deploy = () => requestDeploy({ site: name, dropped: null });
  return {
    name: `In ${name}`,
    commands: [
      ...(frozen ? [] : [{ name: "Deploy a folder or a ZIP", icon: "upload", keys: ["d"], run: deploy } as const]),
      ...(url === undefined
        ? []
        : [
            { name: "Visit", icon: "arrowUpRight", keys: ["v"], href: url, away: true } as const,
            { name: "Copy the URL", icon: "link", keys: ["c"], run: () => copyUrl(url) } as const,
          ]),
      { name: "Explain a URL", icon: "route", keys: ["e"], href: sitePath(name, "explain") },
      { name: "Overview", icon: "folder", keys: ["g", "o"], href: sitePath(name) },
      { name: "Deployments", icon: "list", keys: ["g", "p"], href: sitePath(name, "deployments") },
      { name: "Analytics", icon: "chart", keys: ["g", "a"], href: sitePath(name, "analytics") },
      ...panelsOf(role).flatMap((panel) => toPanel(name, panel)),
      { name: "Activity", icon: "clock", href: sitePath(name, "activity") },
    ],
  };
}

function toPanel(site: string, panel: SettingsPanel): Command[] {
  const { title: name, icon } = PANELS[panel];
  const href = settingsPath(site, panel);
  switch (panel) {
    case "danger":
      return [
        { name: "Rename the site", icon: "settings", href },
        { name: "Delete the site", icon, href },
      ];
    case "domains":
      return [{ name, icon, keys: ["g", "d"], href }];
    default:
      return [{ name, icon, href }];
  }
}

function everywhere({ me, theme, showKeys, signOut }: Place): CommandGroup {
  const next = nextTheme(theme);
  return {
    name: "Everywhere",
    commands: [
      { name: "New site", icon: "plus", keys: ["n"], run: () => requestDeploy({ site: null, dropped: null }) },
      { name: "Sites", icon: "list", keys: ["g", "s"], href: SITES },
      ...(me?.operator ? CONSOLE : []),
      { name: "Account", icon: "user", href: accountPath() },
      { name: "Sessions", icon: "key", href: accountPath("sessions") },
      { name: "Agents", icon: "agent", href: accountPath("agents") },
      { name: "Command line", icon: "terminal", href: accountPath("command-line") },
      { name: `Theme: ${next}`, icon: THEME_ICONS[next], run: () => chooseTheme(next) },
      { name: "Keyboard shortcuts", icon: "list", keys: ["?"], run: showKeys },
      { name: "API reference", icon: "info", href: "/docs", away: true },
      { name: "Sign out", icon: "signOut", run: signOut },
    ],
  };
}

const CONSOLE: readonly Command[] = [
  { name: "Console", icon: "server", keys: ["g", "c"], href: consolePath() },
  { name: "Console: people", icon: "users", href: consolePath("people") },
  { name: "Console: all sites", icon: "folder", href: consolePath("sites") },
  { name: "Console: jobs", icon: "refresh", href: consolePath("jobs") },
  { name: "Console: backups", icon: "archive", href: consolePath("backups") },
  { name: "Console: audit log", icon: "clock", href: consolePath("audit") },
  { name: "Console: settings", icon: "settings", href: consolePath("settings") },
];
