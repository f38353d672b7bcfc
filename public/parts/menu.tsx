import type { ComponentChildren, JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
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
        onKeyDown={moveFocus}
        onClickCapture={close}
      >
        {typeof props.children === "function" ? isOpen && props.children() : props.children}
      </div>
    </>
  );
}

/**
 * Closes the menu before the item acts: then the button has the focus again, and a dialog that opens returns it there.
 */
function close({ target, currentTarget }: TargetedMouseEvent<HTMLElement>): void {
  if (!(target instanceof Element && target.closest("[data-keep-open]"))) currentTarget.hidePopover();
}

/** Moves the focus in the menu by a key. Tab closes it. */
function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const menu = event.currentTarget;
  if (event.key === "Tab") menu.hidePopover();
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const names = items.map(({ textContent }) => textContent ?? "");
  const next = nextItem(event.key, at, names);
  if (next === null) return;
  event.preventDefault();
  event.stopPropagation();
  items[next]?.focus();
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
  return (
    <button
      type="button"
      class={risky ? "menu-item risky" : "menu-item"}
      role="menuitem"
      tabIndex={-1}
      aria-disabled={disabled}
      data-keep-open={keepOpen}
      onClick={onClick}
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
