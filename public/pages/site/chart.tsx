import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { DayFigures } from "../../api/types.ts";
import { formatNumber, formatTick } from "../../format.ts";
import { Problem } from "../../parts/dialog.tsx";

const HEIGHT = 240;
const HALF_A_DAY = 12 * 3600;

const NO_CHART = "Could not load the chart. The figures are in the table below. Reload the page to try again.";

interface Props {
  readonly days: readonly DayFigures[];
  /** Called with the day under the pointer; null when it leaves. */
  readonly hover: (index: number | null) => void;
}

/** Views as bars and visitors as a line. The plotting library is loaded on demand. */
export function Chart({ days, hover }: Props): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let drawing: Drawing | null = null;
    let gone = false;
    import("uplot").then(
      ({ default: Plot }) => {
        if (!gone && place.current) drawing = draw(Plot, place.current, days, hover);
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      drawing?.end();
    };
  }, [days]);
  const views = days.reduce((sum, day) => sum + day.views, 0);
  const label = `Views and visitors by day: ${formatNumber(views)} views in ${days.length} days. The figures are in the table below.`;
  if (failed) return <Problem text={NO_CHART} />;
  return <div class="chart" ref={place} role="img" aria-label={label} style={{ height: `${HEIGHT}px` }} />;
}

interface Drawing {
  end(): void;
}

function draw(Plot: typeof uPlot, place: HTMLElement, days: readonly DayFigures[], hover: Props["hover"]): Drawing {
  let plot: uPlot | null = null;
  const redraw = () => {
    plot?.destroy();
    plot = new Plot(optionsOf(Plot, place.clientWidth, hover), dataOf(days), place);
  };
  const resize = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT }));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  redraw();
  resize.observe(place);
  dark.addEventListener("change", redraw);
  addEventListener("vitrine:theme", redraw);
  return {
    end() {
      resize.disconnect();
      dark.removeEventListener("change", redraw);
      removeEventListener("vitrine:theme", redraw);
      plot?.destroy();
    },
  };
}

function dataOf(days: readonly DayFigures[]): uPlot.AlignedData {
  return [
    days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000),
    days.map(({ views }) => views),
    days.map(({ visitors }) => visitors),
  ];
}

function optionsOf(Plot: typeof uPlot, width: number, hover: Props["hover"]): uPlot.Options {
  const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: color("--faint"), font, ticks: { show: false } };
  const bars = Plot.paths.bars?.({ size: [0.64, 26], radius: 0.18 });
  return {
    width,
    height: HEIGHT,
    // Days are UTC.
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1000), "UTC"),
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      // Half a day more on both sides, because bars are centred on their day.
      x: { range: (_plot, min, max) => [min - HALF_A_DAY, max + HALF_A_DAY] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.08)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 32, values: "{D} {MMM}", space: 64 },
      { ...axis, grid: { stroke: color("--line"), width: 1 }, size: 52, values: (_plot, ticks) => ticks.map(whole) },
    ],
    series: [
      {},
      {
        label: "Views",
        fill: color("--chart-bar"),
        stroke: color("--chart-bar"),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      },
      { label: "Visitors", stroke: color("--accent"), width: 2, points: { show: false } },
    ],
    hooks: { setCursor: [(plot) => hover(plot.cursor.idx ?? null)] },
  };
}

/** Only integers on the axis. */
function whole(tick: number): string {
  return Number.isInteger(tick) ? formatTick(tick) : "";
}
