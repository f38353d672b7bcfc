import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { HostingCapability, Site, User } from "../api/types.ts";
import { signOut } from "../parts/account-menu.tsx";
import { lazy } from "../parts/lazy.tsx";
import { useTheme } from "../parts/theme.ts";
import { navigate, type Route } from "../router.ts";
import { commandFor, runCommand } from "./command.ts";
import { commandsAt } from "./commands.ts";
import { pressInList } from "./row-keys.ts";
import { hasSingleKeys } from "./single-keys.ts";

const Palette = lazy(() => import("./palette.tsx").then((file) => file.default));
const KeysDialog = lazy(() => import("./keys-dialog.tsx").then((file) => file.default));

/** The maximum time between the keys of a sequence. */
const SEQUENCE_MS = 1500;

/** After the page itself is loaded. */
const PRELOAD_AFTER_MS = 3000;

type Shown = "palette" | "keys" | null;

let show: (shown: Shown) => void = () => {};

export function openPalette(): void {
  show("palette");
}

export function openKeys(): void {
  show("keys");
}

/** Handles the keys of the whole page, and shows the palette and the list of keys. */
export function Shortcuts({ route }: { route: Route }): JSX.Element | null {
  const [shown, setShown] = useState<Shown>(null);
  const theme = useTheme();
  const me = useResource<User>("/auth/me");
  const sites = useResource<Site[]>("/sites");
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  const site = route.page === "site" ? sites.data?.find(({ name }) => name === route.site) : undefined;
  const url = site && hosting.data?.site_url.replace("{site}", () => site.name);
  const groups = commandsAt({ me: me.data, site, url, theme, showKeys: openKeys, signOut });
  const latest = useRef({ groups, shown, early: "" });
  Object.assign(latest.current, { groups, shown });
  useEffect(() => {
    show = setShown;
    let typed: string[] = [];
    let typedAt = 0;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (isPaletteKey(event)) {
        event.preventDefault();
        latest.current.early = "";
        if (!isCovered()) openPalette();
        return;
      }
      if (!isForPage(event)) return;
      if (latest.current.shown === "palette") {
        latest.current.early += event.key;
        return;
      }
      const key = event.key.toLowerCase();
      typed = event.timeStamp - typedAt < SEQUENCE_MS ? [...typed, key] : [key];
      typedAt = event.timeStamp;
      const commands = latest.current.groups.flatMap(({ commands }) => commands);
      const found = commandFor(commands, typed);
      if (found !== "more") typed = [];
      if (found === null && !pressOnPage(key)) return;
      event.preventDefault();
      if (found !== null && found !== "more") runCommand(found, navigate);
    };
    document.addEventListener("keydown", press);
    const timer = setTimeout(Palette.preload, PRELOAD_AFTER_MS);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", press);
    };
  }, []);
  const close = () => setShown(null);
  if (shown === "palette") return <Palette groups={groups} start={() => latest.current.early} onClose={close} />;
  return shown === "keys" ? <KeysDialog groups={groups} onClose={close} /> : null;
}

function isPaletteKey(event: KeyboardEvent): boolean {
  return event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
}

/** Ignores input in a field, keys of a dialog or an open menu, and the browser's own shortcuts. */
function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.key.length !== 1) return false;
  if (!hasSingleKeys() || isCovered()) return false;
  return !(event.target instanceof Element && event.target.closest(TYPED_IN));
}

const TYPED_IN = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=menu]";

function isCovered(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

function pressOnPage(key: string): boolean {
  if (key !== "/") return pressInList(key);
  const field = document.querySelector<HTMLInputElement>("main [data-search], main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}
