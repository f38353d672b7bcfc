import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";

const KEY = "vitrine.theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const ICONS: Record<Theme, IconName> = { system: "monitor", light: "sun", dark: "moon" };

/** Goes round: as the system has it, light, dark. */
export function ThemeSwitch(): JSX.Element {
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
  // The charts draw with the colours of the page.
  dispatchEvent(new Event("vitrine:theme"));
}
