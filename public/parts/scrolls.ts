import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Marks a row that scrolls sideways with `data-more`: `start`, `end` or `both`, where more of it is out of sight. The style
 * fades it there. `entries` is the number of its entries, if it changes. A hook.
 */
export function useScrollMarks(row: RefObject<HTMLElement | null>, entries = 0): void {
  useLayoutEffect(() => {
    const element = row.current;
    if (!element) return;
    const mark = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      const more = moreOf(scrollLeft, scrollWidth - clientWidth - scrollLeft);
      if (more === null) delete element.dataset.more;
      else element.dataset.more = more;
    };
    mark();
    const sizes = new ResizeObserver(mark);
    sizes.observe(element);
    element.addEventListener("scroll", mark, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", mark);
    };
  }, [entries]);
}

/** A rest of a pixel is from rounding. */
const LEAST = 2;

/** Returns on which side something is out of sight; null for neither. */
export function moreOf(before: number, after: number): "start" | "end" | "both" | null {
  const [start, end] = [before >= LEAST, after >= LEAST];
  if (start && end) return "both";
  return start ? "start" : end ? "end" : null;
}
