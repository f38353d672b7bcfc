import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusedPlace } from "./focus.ts";

/** The attributes of an open `dialog`. */
interface Modal {
  readonly ref: RefObject<HTMLDialogElement | null>;
  readonly onCancel: (event: Event) => void;
  readonly onClose: () => void;
}

/**
 * Opens a native modal dialog, which traps the focus, closes with Escape, and restores the focus. `isClosable` is false while an
 * operation runs that closing would not stop. A hook.
 */
export function useModal(close: () => void, isClosable = true): Modal {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    const opener = focusedPlace();
    dialog?.showModal();
    return () => {
      // Closed before it is removed, because a removed dialog does not restore the focus.
      dialog?.close();
      // The change that opened it, or a reload of the list behind it, may have removed the button that opened it.
      if (!opener.element?.isConnected) opener.focus();
    };
  }, []);
  return {
    ref,
    onCancel(event) {
      // A cancelled file chooser inside fires an event of the same name.
      if (event.target !== ref.current) return;
      event.preventDefault();
      if (isClosable) close();
    },
    // The browser force-closes a dialog after a second Escape: reopen it if it must stay, otherwise report the closing. It
    // reports a closing late, when another dialog may have taken the place of this one.
    onClose() {
      if (!ref.current?.isConnected) return;
      if (isClosable) close();
      else ref.current.showModal();
    },
  };
}
