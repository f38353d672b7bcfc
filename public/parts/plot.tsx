import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";

/** Returns a colour of the theme, such as `--chart`. */
export type Color = (name: string) => string;

/** A drawing, which gets the size of its element. */
export interface Drawn {
  readonly options: Omit<uPlot.Options, "width" | "height">;
  readonly data: uPlot.AlignedData;
}

type Drawing = (Library: typeof uPlot, color: Color) => Drawn;

/**
 * A chart in an element whose size is set by styles. It is drawn when it comes near the window, and again when its size,
 * the theme or `of` changes. The plotting library is loaded on demand; `otherwise` is shown if it cannot be loaded.
 */
export function Plot(props: {
  class: string;
  /** A description of the chart. */
  label: string;
  of: unknown;
  drawing: Drawing;
  otherwise: JSX.Element;
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let end: (() => void) | null = null;
    let gone = false;
    const draw = (Library: typeof uPlot) => {
      if (!gone && place.current) end = keepDrawn(Library, place.current, props.drawing);
    };
    const stopWaiting = whenNear(place.current, () => {
      import("uplot").then(
        ({ default: Library }) => inTurn(() => draw(Library)),
        () => setFailed(true),
      );
    });
    return () => {
      gone = true;
      stopWaiting();
      end?.();
    };
  }, [props.of]);
  if (failed) return props.otherwise;
  return <div class={props.class} ref={place} role="img" aria-label={props.label} />;
}

/** Runs `then` once the element is in the window, or close to it. Returns a function that prevents it. */
function whenNear(element: Element | null, then: () => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      then();
    },
    { rootMargin: "25%" },
  );
  if (element) observer.observe(element);
  return () => observer.disconnect();
}

const waiting: (() => void)[] = [];

/** Runs the drawings of several charts one by one, so that the page reacts to input between them. */
function inTurn(draw: () => void): void {
  waiting.push(draw);
  if (waiting.length === 1) setTimeout(drawNext);
}

function drawNext(): void {
  try {
    waiting[0]?.();
  } finally {
    waiting.shift();
    if (waiting.length > 0) setTimeout(drawNext);
  }
}

/** Draws, and redraws when the size or the theme changes. Returns a function that stops it. */
function keepDrawn(Library: typeof uPlot, place: HTMLElement, drawing: Drawing): () => void {
  const color: Color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const size = () => ({ width: place.clientWidth, height: place.clientHeight });
  let plot: uPlot | null = null;
  const redraw = () => {
    plot?.destroy();
    const { options, data } = drawing(Library, color);
    plot = new Library({ ...options, ...size() }, data, place);
  };
  // The first call is about the size with which it is drawn.
  const resize = new ResizeObserver(() => {
    if (plot && (plot.width !== place.clientWidth || plot.height !== place.clientHeight)) plot.setSize(size());
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  redraw();
  resize.observe(place);
  dark.addEventListener("change", redraw);
  addEventListener("vitrine:theme", redraw);
  return () => {
    resize.disconnect();
    dark.removeEventListener("change", redraw);
    removeEventListener("vitrine:theme", redraw);
    plot?.destroy();
  };
}
