import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/client.ts";
import { Icon } from "./icons.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
  readonly undo: (() => Promise<unknown>) | null;
}

/** Long enough to read and to undo; the page also shows the result. */
const SHOWN_FOR = 10_000;

let nextId = 1;
let show: (toast: Toast) => void = () => {};
let raise: () => void = () => {};

/** Shows the toasts again after a dialog was opened, because the last element in the top layer is in front. */
export function raiseToasts(): void {
  raise();
}

/** Reports success; `undo` reverts it while the toast is visible. */
export function announce(text: string, undo: (() => Promise<unknown>) | null = null): void {
  show({ id: nextId++, text, bad: false, undo });
}

/** Reports a failure. */
export function complain(text: string): void {
  show({ id: nextId++, text, bad: true, undo: null });
}

/** Runs an operation and reports its failure. Resolves with whether it succeeded. */
export async function attempt(operation: () => Promise<unknown>): Promise<boolean> {
  try {
    await operation();
    return true;
  } catch (error) {
    complain(messageOf(error));
    return false;
  }
}

export function Toasts(): JSX.Element {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const remove = (id: number) => setToasts((all) => all.filter((toast) => toast.id !== id));
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.showPopover();
    raise = () => {
      place.current?.hidePopover();
      place.current?.showPopover();
    };
    const measure = new ResizeObserver(() => {
      const height = place.current?.offsetHeight ?? 0;
      const room = height === 0 ? "0px" : `calc(${height}px + 1.5rem)`;
      document.documentElement.style.setProperty("--toasts-height", room);
    });
    if (place.current) measure.observe(place.current);
    show = (toast) => {
      setToasts((all) => [...all.slice(-2), toast]);
      setTimeout(() => remove(toast.id), SHOWN_FOR);
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite" popover="manual" ref={place}>
      {toasts.map((toast) => (
        <Message key={toast.id} toast={toast} remove={() => remove(toast.id)} />
      ))}
    </div>
  );
}

function Message({ toast, remove }: { toast: Toast; remove: () => void }): JSX.Element {
  const { undo } = toast;
  const takeBack = () => {
    remove();
    if (undo) void attempt(undo);
  };
  return (
    <div class={`toast${toast.bad ? " bad" : ""}`}>
      <Icon name={toast.bad ? "warning" : "check"} />
      <span class="grow">{toast.text}</span>
      {undo && (
        <button type="button" class="button small" onClick={takeBack}>
          Undo
        </button>
      )}
      <button type="button" class="button quiet only small" aria-label="Dismiss" onClick={remove}>
        <Icon name="x" />
      </button>
    </div>
  );
}
