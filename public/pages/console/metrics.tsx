import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";
import { DAY, SECOND } from "../../../src/domain/timestamp.ts";
import type { Metrics } from "../../api/types.ts";
import { formatDay, formatMoment, formatTime } from "../../format.ts";
import { type Color, type Drawn, Plot } from "../../parts/plot.tsx";
import { firstMeasured, type Line, type Look, type Period, restartsOf, type Tile, tilesOf } from "./metric-tiles.ts";

export type Range = "day" | "month";

const WORDS: Record<Range, string> = { day: "24 hours", month: "30 days" };

/** Eight charts in a grid. Hovering over one of them shows the same time in all. */
export function MetricCharts({ metrics, range }: { metrics: Metrics; range: Range }): JSX.Element {
  const [hovered, setHovered] = useState<number | null>(null);
  const { period, tiles, restarts, first } = useMemo(() => {
    const now = Date.now() / 1000;
    const period = periodOf(range, now);
    return {
      period,
      tiles: tilesOf(metrics, period, now),
      restarts: restartsOf(metrics),
      first: firstMeasured(metrics, period),
    };
  }, [metrics, range]);
  return (
    <section class="card metrics" aria-label={`Charts of the last ${period.words}`}>
      {tiles.map((tile) => (
        <MetricTile
          key={tile.title}
          tile={tile}
          period={period}
          range={range}
          restarts={restarts}
          hovered={hovered}
          hover={setHovered}
        />
      ))}
      <p class="card-foot metrics-foot">
        {hovered !== null ? (
          <span class="num">{formatMoment(new Date(hovered * 1000).toISOString())}</span>
        ) : (
          <Restarts restarts={restarts} first={first} />
        )}
      </p>
    </section>
  );
}

/** Has the size of the charts. */
export function MetricSkeleton(): JSX.Element {
  return (
    <div class="card metrics" aria-hidden="true">
      {Array.from({ length: 8 }, (_, tile) => (
        <div class="metric" key={tile}>
          <div class="metric-head">
            <h2>
              <span class="bone" style={{ width: "5rem" }} />
            </h2>
          </div>
          <p class="metric-value">
            {"\u00a0"}
            <span>{"\u00a0"}</span>
          </p>
          <div class="plot">
            <div class="plot-y" />
            <div class="metric-plot" />
            <div class="plot-x">
              <span>{"\u00a0"}</span>
            </div>
          </div>
        </div>
      ))}
      <p class="card-foot metrics-foot">{"\u00a0"}</p>
    </div>
  );
}

function periodOf(range: Range, now: number): Period {
  return { from: now - (range === "day" ? DAY : 30 * DAY) / SECOND, to: now, words: WORDS[range] };
}

function Restarts({ restarts, first }: { restarts: readonly number[]; first: number | null }): JSX.Element {
  const last = restarts.at(-1);
  const momentOf = (seconds: number) => formatMoment(new Date(seconds * SECOND).toISOString());
  const since = first === null ? "" : `Measured since ${momentOf(first)}; the charts fill with time. `;
  if (last === undefined) return <>{since}The server was not restarted in this period.</>;
  const when = momentOf(last);
  return (
    <>
      <svg class="mark-key" width="2" height="14" viewBox="0 0 2 14" aria-hidden="true">
        <path d="M1 0v14" />
      </svg>
      {since}
      {restarts.length === 1 ? `Restarted on ${when}` : `Restarted ${restarts.length} times, last on ${when}`}
    </>
  );
}

interface TileProps {
  readonly tile: Tile;
  readonly period: Period;
  readonly range: Range;
  readonly restarts: readonly number[];
  readonly hovered: number | null;
  readonly hover: (moment: number | null) => void;
}

function MetricTile(props: TileProps): JSX.Element {
  const { tile, period, range } = props;
  const shown = hoveredText(tile, props.hovered);
  const second = tile.lines[1];
  return (
    <section class="metric" aria-label={tile.title}>
      <div class="metric-head">
        <h2>{tile.title}</h2>
        {second && <span class="key first-line">{tile.lines[0]?.name}</span>}
        {second && <span class="key line-key">{second.name}</span>}
      </div>
      {tile.figure === null ? (
        <p class="metric-value">
          <span class="none">Nothing measured yet</span>
        </p>
      ) : (
        <p class="metric-value">
          {shown ?? tile.figure[0]}
          <span>{shown === null && tile.figure[1]}</span>
        </p>
      )}
      <div class="plot">
        <div class="plot-y" aria-hidden="true">
          {[1, 0.5, 0].map((share) => (
            <span key={share}>{tile.format(share * tile.max)}</span>
          ))}
        </div>
        <Plot
          class="metric-plot"
          label={tile.summary}
          of={tile}
          drawing={(Library, color) => ({
            options: optionsOf(Library, color, props),
            data: [tile.moments, ...tile.lines.map(({ values }) => values)] as unknown as uPlot.AlignedData,
          })}
          otherwise={<p class="metric-plot small muted">The chart could not be loaded.</p>}
        />
        <div class="plot-x" aria-hidden="true">
          {labelsOf(range, period).map((label) => (
            <span key={label}>{label}</span>
          ))}
        </div>
      </div>
    </section>
  );
}

/** The values under the pointer; null if it is elsewhere. */
function hoveredText({ moments, lines, format }: Tile, hovered: number | null): string | null {
  if (hovered === null || moments.length === 0) return null;
  const index = nearest(moments, hovered);
  const values = lines.map(({ values }) => values[index] ?? null);
  return values.every((value) => value === null)
    ? "no data"
    : values.map((value) => (value === null ? "no data" : format(value))).join(" / ");
}

function nearest(moments: readonly number[], wanted: number): number {
  const step = (moments[1] ?? 1) - (moments[0] ?? 0);
  return Math.min(moments.length - 1, Math.max(0, Math.round((wanted - (moments[0] ?? 0)) / step)));
}

function labelsOf(range: Range, { from, to }: Period): string[] {
  const quarters = [0, 1, 2, 3].map((quarter) => from + (quarter * (to - from)) / 4);
  const label = (at: number) => (range === "day" ? formatTime(at * 1000) : formatDay(at * 1000));
  return [...quarters.map(label), range === "day" ? "Now" : "Today"];
}

function optionsOf(
  Library: typeof uPlot,
  color: Color,
  { tile, period, restarts, hover }: TileProps,
): Drawn["options"] {
  const grid = { stroke: color("--chart-grid"), width: 1 };
  return {
    padding: [1, 0, 1, 0],
    legend: { show: false },
    // The plots with the same key show the same time.
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false }, sync: { key: "console" } },
    scales: {
      x: { time: false, range: () => rangeOf(tile, period) },
      y: { range: () => [0, tile.max] },
    },
    axes: [
      { show: false },
      { size: 0, gap: 0, ticks: { show: false }, grid, splits: () => [0, tile.max / 2, tile.max], values: () => [] },
    ],
    series: [{}, ...tile.lines.map((line) => seriesOf(Library, color, line))],
    hooks: {
      draw: [(plot) => markRestarts(plot, color("--control-line"), restarts)],
      setCursor: [
        (plot) => {
          const { left } = plot.cursor;
          hover(left === undefined || left < 0 ? null : plot.posToVal(left, "x"));
        },
      ],
    },
  };
}

/** Bars are centred on their time, so the first and the last one need half of their width more. */
function rangeOf({ moments, lines }: Tile, { from, to }: Period): uPlot.Range.MinMax {
  const [first = from, second = to] = moments;
  if (lines[0]?.look !== "bars") return [from, to];
  const half = (second - first) / 2;
  return [first - half, (moments.at(-1) ?? to) + half];
}

const STROKES: Record<Look, string> = {
  area: "--chart",
  line: "--chart",
  second: "--chart-2",
  bad: "--bad",
  bars: "--chart-bar",
};

function seriesOf(Library: typeof uPlot, color: Color, { look, values }: Line): uPlot.Series {
  const stroke = color(STROKES[look]);
  if (look === "bars") {
    const paths = Library.paths.bars?.({ size: [0.7, 12] });
    return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
  }
  // A line without measured neighbours has no length.
  const alone = values.flatMap((value, index) => {
    const neighbours = [values[index - 1] ?? null, values[index + 1] ?? null];
    return value !== null && neighbours.every((one) => one === null) ? [index] : [];
  });
  const points = { show: alone.length > 0, filter: () => alone, size: 3, fill: stroke, stroke };
  return { stroke, width: 1.5, points, ...(look === "area" && { fill: color("--chart-area") }) };
}

function markRestarts({ ctx, bbox, valToPos }: uPlot, stroke: string, restarts: readonly number[]): void {
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  for (const at of restarts) {
    const x = Math.round(valToPos(at, "x", true)) + 0.5;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}
