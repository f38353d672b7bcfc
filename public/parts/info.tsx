import type { ComponentChildren, JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import { Icon } from "./icons.tsx";
import { placeBelow } from "./menu-keys.ts";

/** A button that opens an explanation below itself. Escape, or a click elsewhere, closes it. `label` names both. */
export function Info({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const place = (event: Pick<ToggleEvent, "newState">) => {
    if (event.newState === "open") placeBelow(button.current, text.current, true);
  };
  return (
    <>
      <button type="button" class="button quiet small only" ref={button} popovertarget={id} aria-label={label}>
        <Icon name="info" />
      </button>
      <div
        id={id}
        ref={text}
        popover="auto"
        class="menu from-left info"
        role="note"
        aria-label={label}
        onBeforeToggle={place}
      >
        {children}
      </div>
    </>
  );
}
