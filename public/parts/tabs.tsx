import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";
import { useScrollMarks } from "./scrolls.ts";

interface Tab {
  readonly href: string;
  readonly name: string;
  readonly current: boolean;
  readonly count?: number | undefined;
  /** Only in side navigation. */
  readonly icon?: IconName;
  /** Only in side navigation: shown at the end, such as a warning. */
  readonly end?: ComponentChildren;
}

/** The tabs of a page, sticky below the top bar: the `tabs` of `Page`. If they scroll, the current one is visible. */
export function TopTabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): JSX.Element {
  const list = useRef<HTMLElement>(null);
  const current = tabs.find((tab) => tab.current)?.href;
  useEffect(() => keepInSight(list.current), [current]);
  useScrollMarks(list);
  return (
    <div class="top-tabs">
      <nav class="tabs" aria-label={label} ref={list}>
        {tabs.map(({ href, name, count, current }) => (
          <a key={href} class="tab" href={href} aria-current={current ? "page" : undefined}>
            {name}
            {count !== undefined && <span class="count">{count.toLocaleString("en")}</span>}
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
export function SideNav({ label, tabs }: { label: string; tabs: readonly Tab[] }): JSX.Element {
  const list = useRef<HTMLElement>(null);
  const current = tabs.find((tab) => tab.current)?.href;
  useEffect(() => keepInSight(list.current), [current]);
  useScrollMarks(list);
  return (
    <nav class="side-nav" aria-label={label} ref={list}>
      {tabs.map(({ href, name, icon, end, current }) => (
        <a key={href} href={href} aria-current={current ? "page" : undefined}>
          {icon && <Icon name={icon} />}
          {name}
          {end !== undefined && <span class="end">{end}</span>}
        </a>
      ))}
    </nav>
  );
}

function keepInSight(list: HTMLElement | null): void {
  const current = list?.querySelector<HTMLElement>("[aria-current]");
  if (!list || !current) return;
  list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
}
