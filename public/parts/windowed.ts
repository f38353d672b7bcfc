import { useLayoutEffect, useState } from "preact/hooks";

/** Rows that are drawn outside the window on each side, so that fast scrolling and the next focus find them. */
const BEYOND = 12;
/** The drawn part moves in steps of this many rows, so that not every pixel causes a redraw. */
const STEP = 6;
/** Rows that are drawn before the row height is known. */
const FIRST = 30;

/** The drawn part of a long list. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the rows to draw of `count`, each `height` high, where `top` of the list is above the window's upper edge.
 */
export function partInSight(count: number, height: number, top: number, windowHeight: number): Part {
  const first = Math.floor(top / height) - BEYOND;
  const from = Math.max(0, Math.min(Math.floor(first / STEP) * STEP, count - 1));
  const drawn = Math.ceil(windowHeight / height) + 2 * BEYOND + STEP;
  return { from, to: Math.min(count, from + drawn) };
}

interface Windowed extends Part {
  /** Height of the rows before and after the drawn ones, in pixels. */
  readonly before: number;
  readonly after: number;
}

/**
 * Returns which rows of a long list to draw. All rows have the height of the first `tr` of `list` that has `data-row`. A
 * hook.
 */
export function useWindowed(list: { readonly current: HTMLElement | null }, count: number): Windowed {
  const [state, setState] = useState({ from: 0, to: FIRST, height: 0 });
  useLayoutEffect(() => {
    const look = () => {
      const height = list.current?.querySelector<HTMLElement>("[data-row]")?.offsetHeight ?? 0;
      if (!list.current || height === 0) return;
      const next = partInSight(count, height, -list.current.getBoundingClientRect().top, innerHeight);
      setState((now) =>
        now.from === next.from && now.to === next.to && now.height === height ? now : { ...next, height },
      );
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [count]);
  const to = Math.min(count, state.to);
  const from = Math.min(state.from, to);
  return { from, to, before: from * state.height, after: (count - to) * state.height };
}
