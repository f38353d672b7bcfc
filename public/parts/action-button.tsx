import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { attempt } from "./toasts.tsx";

/** A button that runs an operation and reports its failure. Disabled while the operation runs. */
export function ActionButton(props: {
  /** The classes beside `button`. */
  class?: string;
  title?: string;
  /** The name for screen readers, if the content is an icon. */
  label?: string;
  /** False if there is nothing to do. */
  ready?: boolean;
  run: () => Promise<unknown>;
  children: ComponentChildren;
}): JSX.Element {
  const { ready = true } = props;
  const [busy, run] = useAttempt();
  return (
    <button
      type="button"
      class={`button ${props.class ?? ""}`.trim()}
      title={props.title}
      aria-label={props.label}
      aria-disabled={busy || !ready}
      onClick={() => run(props.run)}
    >
      {props.children}
    </button>
  );
}

/** Returns whether an operation is running, and a function that runs one and reports its failure. A hook. */
export function useAttempt(): [busy: boolean, run: (operation: () => Promise<unknown>) => Promise<void>] {
  const [busy, setBusy] = useState(false);
  const run = async (operation: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(operation);
    setBusy(false);
  };
  return [busy, run];
}
