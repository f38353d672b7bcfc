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

export type Drawing = (Library: typeof uPlot, color: Color) => Drawn;

/**
 * A chart in an element whose size is set by styles. It is redrawn when its size, the theme or `of` changes. The
 * plotting library is loaded on demand; `otherwise` is shown if it cannot be loaded.
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
    import("uplot").then(
      ({ default: Library }) => {
        if (!gone && place.current) end = keepDrawn(Library, place.current, props.drawing);
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      end?.();
    };
  }, [props.of]);
  if (failed) return props.otherwise;
  return <div class={props.class} ref={place} role="img" aria-label={props.label} />;
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
  const resize = new ResizeObserver(() => plot?.setSize(size()));
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
