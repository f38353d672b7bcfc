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
const SHOWN_FOR_MS = 10_000;

let nextId = 1;
let show: (toast: Toast) => void = () => {};
let hide: (id: number) => void = () => {};

/** Reports success; `undo` reverts it while the toast is visible. Returns a function that removes the toast. */
export function announce(text: string, undo: (() => Promise<unknown>) | null = null): () => void {
  const id = nextId++;
  show({ id, text, bad: false, undo });
  return () => hide(id);
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
    const { current } = place;
    current?.showPopover();
    if (current) reserveSpaceFor(current);
    hide = remove;
    show = (toast) => {
      if (current) raiseAboveDialogs(current);
      setToasts((all) => [...all.slice(-2), toast]);
      setTimeout(() => remove(toast.id), SHOWN_FOR_MS);
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

/**
 * The last element that was opened in the top layer is in front. So a dialog or menu covers earlier toasts, and a dialog
 * is covered by later ones. A menu never is, because the item that is about to be clicked must not be.
 */
function raiseAboveDialogs(toasts: HTMLElement): void {
  if (!document.querySelector("dialog[open]")) return;
  toasts.hidePopover();
  toasts.showPopover();
}

/**
 * Reserves space for the toasts at the end of the page. After they expire, the space remains for as long as its removal
 * would scroll the page, because nothing may move under the pointer by itself.
 */
function reserveSpaceFor(toasts: HTMLElement): void {
  const root = document.documentElement;
  let reserved = 0;
  const fit = () => {
    const needed = toasts.offsetHeight === 0 ? 0 : root.clientHeight - toasts.getBoundingClientRect().top;
    const below = root.scrollHeight - root.clientHeight - root.scrollTop;
    if (needed === reserved || (reserved - needed > below && root.scrollTop > 0)) return;
    reserved = needed;
    root.style.setProperty("--toasts-height", `${reserved}px`);
  };
  new ResizeObserver(fit).observe(toasts);
  addEventListener("scroll", fit, { passive: true });
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
