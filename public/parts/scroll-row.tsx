import { type ComponentChildren, type JSX, toChildArray } from "preact";
import { useRef } from "preact/hooks";
import { useScrollMarks } from "./scrolls.ts";

/** A row, such as `.chips`, that scrolls sideways if it is too wide, and fades where more of it is out of sight. */
export function ScrollRow(props: { class: string; busy?: boolean; children: ComponentChildren }): JSX.Element {
  const row = useRef<HTMLDivElement>(null);
  useScrollMarks(row, toChildArray(props.children).length);
  return (
    <div class={props.class} ref={row} aria-busy={props.busy}>
      {props.children}
    </div>
  );
}
