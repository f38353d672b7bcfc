/** Handles a key in a list of the page: J and K move between rows, X, the full stop and T act on the current one. */
export function pressInList(key: string): boolean {
  if (key === "j" || key === "k") return walk(key === "j" ? 1 : -1);
  const row = document.activeElement?.closest("main tr, main li");
  const target = row?.querySelector<HTMLElement>(IN_ROW[key] ?? "no-such-key");
  target?.click();
  return target != null;
}

const IN_ROW: Readonly<Record<string, string>> = {
  x: ".check",
  ".": "[aria-haspopup=menu]",
  t: "[data-tags]",
};

/** From outside the list, the first visible row is next. */
function walk(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("main .row-link")];
  const row = document.activeElement?.closest("tr, li");
  const at = rows.findIndex((link) => row?.contains(link));
  const next = at === -1 ? rows.find(isInSight) : rows[at + step];
  next?.focus({ preventScroll: true });
  next?.closest("tr, li")?.scrollIntoView({ block: "nearest" });
  return rows.length > 0;
}

function isInSight(element: HTMLElement): boolean {
  return element.getBoundingClientRect().top > BAR_HEIGHT;
}

/** The height of the bar and the tabs, in pixels. */
const BAR_HEIGHT = 84;
