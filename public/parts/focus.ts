import { options } from "preact";

/** In a table the row links take the place of headings. */
const HEADINGS = "h1, h2, h3, .row-link";

/**
 * Keeps the keyboard focus. A browser moves the focus to the document when the focused element is removed or
 * disabled: Tab then starts at the top, and a screen reader falls silent. So buttons are `aria-disabled`, which
 * keeps their focus, and the nearest heading before a removed element gets the focus.
 */
export function keepFocus(): void {
  document.addEventListener("click", ignoreDisabled, true);
  const { unmount } = options;
  options.unmount = (vnode) => {
    // The last moment at which the element is still in place; once for all elements removed together.
    if (leaving === null && document.activeElement !== document.body) {
      const place = placeOf(document.activeElement);
      leaving = place;
      queueMicrotask(() => {
        leaving = null;
        if (document.activeElement === document.body) place.focus();
      });
    }
    unmount?.(vnode);
  };
}

/** An element and what is before it, to which the focus can return. */
interface Place {
  readonly element: Element | null;
  /** Focuses the nearest heading before the element, which may be removed by then. */
  readonly focus: () => void;
}

/** Returns the place of the focus, also if the change of the page that is under way has removed its element. */
export function focusedPlace(): Place {
  const { activeElement, body } = document;
  return leaving !== null && activeElement === body ? leaving : placeOf(activeElement);
}

// --- internal ---

/** Where the focus was before the change of the page that is under way. */
let leaving: Place | null = null;

function placeOf(element: Element | null): Place {
  const headings = headingsBefore(element);
  return { element, focus: () => focusLast(headings) };
}

/** Runs before all other listeners. It also covers forms, because Enter in a field clicks the form's button. */
function ignoreDisabled(event: Event): void {
  if (!(event.target instanceof Element) || !event.target.closest("[aria-disabled=true]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Only headings of the same part of the page, because messages in the corner come last in the document. */
function headingsBefore(element: Element | null): HTMLElement[] {
  const headings = element?.closest("#app > *")?.querySelectorAll<HTMLElement>(HEADINGS) ?? [];
  return [...headings].filter(
    (heading) => heading.compareDocumentPosition(element as Node) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
}

function focusLast(headings: readonly HTMLElement[]): void {
  const heading = headings.findLast((one) => one.isConnected) ?? document.querySelector<HTMLElement>("h1");
  if (!heading) return;
  // A link stays in the tab order.
  if (heading.tabIndex < 0) heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
