import type { JSX } from "preact";
import { Toasts } from "../parts/toasts.tsx";
import { mount } from "./mount.ts";

interface ShownToast {
  readonly text: string;
  readonly undo: (() => Promise<unknown>) | null;
}

interface ShownToasts extends Disposable {
  /** Oldest first. */
  readonly all: readonly ShownToast[];
}

/** The messages that appear until the end of the block. */
export function watchToasts(): ShownToasts {
  const mounted = mount(Toasts);
  return {
    get all() {
      const messages = mounted.shown.props.children as readonly JSX.Element[];
      return messages.map(({ props }) => props.toast as ShownToast);
    },
    [Symbol.dispose]: () => mounted[Symbol.dispose](),
  };
}
