import { expect, test } from "bun:test";
import { options } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { replaceGlobal } from "../testing/browser.ts";
import { mount, settled } from "../testing/mount.ts";
import { keepFocus } from "./focus.ts";
import { useModal } from "./modal.ts";

test("a dialog that opens as its button is removed returns the focus to the heading before it", async () => {
  using page = openPage();
  const button = mount(page.useFocusedButton);
  button[Symbol.dispose]();
  const dialog = mount(page.useDialog);
  await settled();
  expect(page.focused).toBe("dialog");
  dialog[Symbol.dispose]();
  await settled();
  expect(page.focused).toBe("heading");
});

// --- internal ---

const FOLLOWING = 4;

/** A page with a heading before a button, where the focus is kept. It moves the focus as a browser does. */
function openPage() {
  const { unmount } = options;
  const document = { activeElement: {}, body: {}, addEventListener() {}, querySelector: () => null };
  const element = (name: string, headings: readonly object[]) => ({
    name,
    isConnected: true,
    closest: () => ({ querySelectorAll: () => headings }),
    compareDocumentPosition: () => FOLLOWING,
    focus() {
      document.activeElement = this;
    },
  });
  const heading = element("heading", []);
  const button = element("button", [heading]);
  const body = element("body", []);
  Object.assign(document, { activeElement: button, body });
  const dialog = { ...element("dialog", []), showModal: () => dialog.focus(), close: () => body.focus() };
  const globals = [
    replaceGlobal("document", document),
    replaceGlobal("Node", { DOCUMENT_POSITION_FOLLOWING: FOLLOWING }),
  ];
  keepFocus();
  return {
    get focused() {
      return (document.activeElement as typeof heading).name;
    },
    useFocusedButton() {
      useLayoutEffect(
        () => () => {
          button.isConnected = false;
          body.focus();
        },
        [],
      );
    },
    useDialog() {
      const { ref } = useModal(() => {});
      ref.current = dialog as Partial<HTMLDialogElement> as HTMLDialogElement;
    },
    [Symbol.dispose]() {
      if (unmount) options.unmount = unmount;
      else delete options.unmount;
      for (const replaced of globals) replaced[Symbol.dispose]();
    },
  };
}
