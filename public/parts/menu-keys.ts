/** Returns the index of the item that a key moves to from the one at `at` (-1 for none), or null for other keys. */
export function nextItem(key: string, at: number, texts: readonly string[]): number | null {
  const { length } = texts;
  if (length === 0) return null;
  if (key === "ArrowDown") return (at + 1) % length;
  if (key === "ArrowUp") return at <= 0 ? length - 1 : at - 1;
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  if (key.length !== 1 || key === " ") return null;
  const letter = key.toLowerCase();
  for (let step = 1; step <= length; step++) {
    const index = (at + step + length) % length;
    if (texts[index]?.trim().toLowerCase().startsWith(letter)) return index;
  }
  return null;
}

/** Margin between a menu and its button or the window, in pixels. */
const GAP = 4;

/** Positions a menu at its button if the browser does not support anchor positioning. */
export function placeBelow(button: HTMLElement | null, menu: HTMLElement | null, fromLeft: boolean): void {
  if (!button || !menu || CSS.supports("position-area: bottom")) return;
  const { left, right, bottom } = button.getBoundingClientRect();
  menu.style.top = `${bottom}px`;
  if (fromLeft) menu.style.left = `${Math.max(GAP, left)}px`;
  else menu.style.right = `${Math.max(GAP, document.documentElement.clientWidth - right)}px`;
}
