import type { ComponentChildren, JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";
import { nextItem, placeBelow } from "./menu-keys.ts";

type Toggled = Pick<ToggleEvent, "newState">;

/**
 * A button that opens a menu of actions or links. Arrow keys, Home, End and first letters move in it. Escape closes it
 * and restores the focus to the button. `label` names both.
 */
export function Menu(props: {
  label: string;
  /** The classes of the button. */
  class: string;
  button: ComponentChildren;
  /** Aligns the menu with the button's left edge, instead of its right edge. */
  fromLeft?: boolean;
  /** True if the button shows an active choice. */
  pressed?: boolean;
  /** A function is called only while the menu is open, for the menus of long lists. */
  children: ComponentChildren | (() => ComponentChildren);
}): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const toggled = (event: Toggled) => {
    const isOpen = event.newState === "open";
    if (!isOpen) setOpen(false);
    button.current?.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) itemsOf(menu.current)[0]?.focus({ preventScroll: true });
  };
  const place = (event: Toggled) => {
    if (event.newState !== "open") return;
    setOpen(true);
    placeBelow(button.current, menu.current, props.fromLeft === true);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Tab") return menu.current?.hidePopover();
    const items = itemsOf(menu.current);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = nextItem(
      event.key,
      at,
      items.map(({ textContent }) => textContent ?? ""),
    );
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    items[next]?.focus();
  };
  return (
    <>
      <button
        type="button"
        class={props.class}
        ref={button}
        popovertarget={id}
        aria-label={props.label}
        aria-haspopup="menu"
        {...(props.pressed === undefined ? {} : { "data-pressed": props.pressed })}
        aria-expanded="false"
      >
        {props.button}
      </button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        class={props.fromLeft ? "menu from-left" : "menu"}
        role="menu"
        aria-label={props.label}
        tabIndex={-1}
        onBeforeToggle={place}
        onToggle={toggled}
        onKeyDown={press}
        onClick={() => menu.current?.hidePopover()}
      >
        {typeof props.children === "function" ? isOpen && props.children() : props.children}
      </div>
    </>
  );
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? [])];
}

interface Item {
  readonly icon?: IconName;
  /** Shown at the end: a key, a number, the current choice. */
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** An action in a menu. `risky` is for destructive ones; `keepOpen` for choices that keep the menu open. */
export function MenuItem(
  props: Item & { risky?: boolean; keepOpen?: boolean; disabled?: boolean; onClick: () => void },
): JSX.Element {
  const { risky, keepOpen, disabled = false, onClick, ...item } = props;
  const press = (event: Event) => {
    if (keepOpen) event.stopPropagation();
    onClick();
  };
  return (
    <button
      type="button"
      class={risky ? "menu-item risky" : "menu-item"}
      role="menuitem"
      tabIndex={-1}
      aria-disabled={disabled}
      onClick={press}
    >
      <Face {...item} />
    </button>
  );
}

/** A link in a menu; `away` opens it in a new tab, `download` saves the target. */
export function MenuLink(props: Item & { href: string; away?: boolean; download?: boolean }): JSX.Element {
  const { href, away, download, ...item } = props;
  const target = away ? { target: "_blank", rel: "noopener" } : download ? { download: "" } : {};
  return (
    <a class="menu-item" role="menuitem" tabIndex={-1} href={href} {...target}>
      <Face {...item} />
    </a>
  );
}

function Face({ icon, end, children }: Item): JSX.Element {
  return (
    <>
      {icon && <Icon name={icon} />}
      <span class="cut">{children}</span>
      {end !== undefined && <span class="end">{end}</span>}
    </>
  );
}

export function MenuHead({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <p class="menu-head" role="presentation">
      {children}
    </p>
  );
}

export function MenuLine(): JSX.Element {
  return <hr />;
}
