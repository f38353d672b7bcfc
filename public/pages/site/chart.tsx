import type { JSX } from "preact";
import type uPlot from "uplot";
import { formatNumber, formatTick } from "../../format.ts";
import { Problem } from "../../parts/dialog.tsx";
import { type Color, type Drawn, Plot } from "../../parts/plot.tsx";
import { isCurrent, labelsOf, lengthOf, nameOf, type Point, type Series } from "./chart-points.ts";

const NO_CHART = "Could not load the chart. The figures are in the table below. Reload the page to try again.";

interface Props {
  readonly series: Series;
  /** Called with the index of the point under the pointer; null when it leaves. */
  readonly hover: (index: number | null) => void;
}

/** Views as bars and visitors as a line. */
export function Chart({ series, hover }: Props): JSX.Element {
  return (
    <Plot
      class="chart"
      label={describe(series, Date.now())}
      of={series}
      drawing={(Library, color) => ({ options: optionsOf(Library, color, series, hover), data: dataOf(series) })}
      otherwise={<Problem text={NO_CHART} />}
    />
  );
}

/** Describes the content of the chart. */
function describe(series: Series, now: number): string {
  const { interval, points } = series;
  const total = points.reduce((sum, { views }) => sum + views, 0);
  const most = points.reduce<Point | null>((best, point) => (best && best.views >= point.views ? best : point), null);
  const peak = most && `, at most ${formatNumber(most.views)} on ${nameOf(series, most.at, now)}`;
  return `Views and visitors by ${interval}: ${formatNumber(total)} views in ${points.length} ${interval}s${peak ?? ""}. The figures are in the table below.`;
}

/** The current hour or day is a separate series with another colour, because it is incomplete. */
function dataOf({ interval, points }: Series): uPlot.AlignedData {
  const now = Date.now();
  const views = (current: boolean) =>
    points.map((point) => (isCurrent(interval, point.at, now) === current ? point.views : null));
  return [points.map(({ at }) => at / 1000), views(false), views(true), points.map(({ visitors }) => visitors)];
}

function optionsOf(Library: typeof uPlot, color: Color, series: Series, hover: Props["hover"]): Drawn["options"] {
  const half = lengthOf(series.interval) / 2000;
  const bars = Library.paths.bars?.({ size: [0.7, 34] });
  const bar = (fill: string) => ({
    fill,
    stroke: fill,
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  });
  return {
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      // Half a bar more on both sides, because bars are centred on their point.
      x: { time: false, range: (_plot, min, max) => [min - half, max + half] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.04)] },
    },
    axes: axesOf(series, color),
    series: [
      {},
      bar(color("--chart-bar")),
      bar(color("--accent")),
      { stroke: color("--chart-2"), width: 1.5, points: { show: false } },
    ],
    hooks: { setCursor: [(plot) => hover(plot.cursor.idx ?? null)] },
  };
}

function axesOf(series: Series, color: Color): uPlot.Axis[] {
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: color("--faint"), font, ticks: { show: false } };
  const labels = (plot: uPlot) => labelsOf(series, plot.bbox.width / devicePixelRatio, Date.now());
  const splits = (plot: uPlot) => labels(plot).map(({ index }) => (series.points[index]?.at ?? 0) / 1000);
  const texts = (plot: uPlot) => labels(plot).map(({ text }) => text);
  return [
    { ...axis, grid: { show: false }, size: 24, gap: 4, splits, values: texts },
    {
      ...axis,
      grid: { stroke: color("--chart-grid"), width: 1 },
      size: (_plot, texts) => 10 + DIGIT_WIDTH * Math.max(...(texts ?? []).map(({ length }) => length), 1),
      gap: 6,
      // Three to five lines at any height.
      space: (_plot, _axis, _min, _max, length) => length / 5,
      incrs: INTEGERS,
      values: (_plot, ticks) => ticks.map(formatTick),
    },
  ];
}

const DIGIT_WIDTH = 7;

/** Distances between the lines of the grid: 1, 2, 5, 10 and so on. */
const INTEGERS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
