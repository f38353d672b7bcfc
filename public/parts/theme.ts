import { makeNotice } from "../api/notice.ts";

const KEY = "vitrine.theme";
const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_ICONS = { system: "monitor", light: "sun", dark: "moon" } as const;

const notice = makeNotice();

/** Returns the chosen theme. A hook. */
export function useTheme(): Theme {
  notice.use();
  return THEMES.find((name) => name === localStorage.getItem(KEY)) ?? "system";
}

/** Stores the choice, which public/theme.ts applies before the first paint of every page, and applies it now. */
export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") {
    localStorage.removeItem(KEY);
    delete dataset.theme;
  } else {
    localStorage.setItem(KEY, theme);
    dataset.theme = theme;
  }
  notice.notify();
  // The charts use the colours of the page.
  dispatchEvent(new Event("vitrine:theme"));
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
}
