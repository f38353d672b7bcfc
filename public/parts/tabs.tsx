import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";
import { useScrollMarks } from "./scrolls.ts";

interface Tab {
  readonly href: string;
  readonly name: string;
  readonly current: boolean;
}

interface SideTab extends Tab {
  readonly icon: IconName;
  /** Shown at the end, such as a warning. */
  readonly end?: ComponentChildren;
}

/** The tabs of a page, sticky below the top bar: the `tabs` of `Page`. If they scroll, the current one is visible. */
export function TopTabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): JSX.Element {
  const list = useCurrentInSight(tabs);
  return (
    <div class="top-tabs">
      <nav class="tabs" aria-label={label} ref={list}>
        {tabs.map(({ href, name, current }) => (
          <a key={href} class="tab" href={href} aria-current={current ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </div>
  );
}

/** Keeps the place of the tabs on a page that turns out to have none. */
export function NoTabs(): JSX.Element {
  return (
    <div class="top-tabs">
      <div class="tabs" />
    </div>
  );
}

/** The side navigation of `.with-side`, whose other part is a `.panel`. On phones it is a row that scrolls. */
export function SideNav({ label, tabs }: { label: string; tabs: readonly SideTab[] }): JSX.Element {
  const list = useCurrentInSight(tabs);
  return (
    <nav class="side-nav" aria-label={label} ref={list}>
      {tabs.map(({ href, name, icon, end, current }) => (
        <a key={href} href={href} aria-current={current ? "page" : undefined}>
          <Icon name={icon} />
          {name}
          {end !== undefined && <span class="end">{end}</span>}
        </a>
      ))}
    </nav>
  );
}

/** Returns the ref of a row of tabs that scrolls. Its current tab is scrolled into sight. */
function useCurrentInSight(tabs: readonly Tab[]): RefObject<HTMLElement | null> {
  const list = useRef<HTMLElement>(null);
  const href = tabs.find((tab) => tab.current)?.href;
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (!list.current || !current) return;
    list.current.scrollLeft = current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [href]);
  useScrollMarks(list);
  return list;
}
