import { options } from "preact";

const HEADINGS = "h1, h2, h3";

/**
 * Keeps the keyboard where somebody works. A browser puts the focus on the bare page when what had it leaves or is
 * disabled: Tab then starts over at the top, and a screen reader falls silent. So buttons are `aria-disabled`, which
 * leaves them the focus, and the nearest heading before an element that leaves takes its focus over.
 */
export function keepFocus(): void {
  document.addEventListener("click", ignoreDisabled, true);
  const { unmount } = options;
  let watching = false;
  options.unmount = (vnode) => {
    // The last moment at which the element is in its place. Once for all that leaves together.
    if (!watching && document.activeElement !== document.body) {
      watching = true;
      const headings = headingsBefore(document.activeElement);
      queueMicrotask(() => {
        watching = false;
        if (document.activeElement === document.body) focusLast(headings);
      });
    }
    unmount?.(vnode);
  };
}

/** Before every other listener. It holds for forms, too: Enter in a field clicks the form's button. */
function ignoreDisabled(event: Event): void {
  if (!(event.target instanceof Element) || !event.target.closest("[aria-disabled=true]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Only those of the same part of the page: a message in the corner comes after everything. */
function headingsBefore(element: Element | null): HTMLElement[] {
  const headings = element?.closest("#app > *")?.querySelectorAll<HTMLElement>(HEADINGS) ?? [];
  return [...headings].filter(
    (heading) => heading.compareDocumentPosition(element as Node) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
}

function focusLast(headings: readonly HTMLElement[]): void {
  const heading = headings.findLast((one) => one.isConnected) ?? document.querySelector<HTMLElement>("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
