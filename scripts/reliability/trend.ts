import { median } from "../statistics.ts";

/** The change of a measured value per unit of time. */
interface Trend {
  readonly slope: number;
  /** Half of the slope's 95 % confidence interval. */
  readonly uncertainty: number;
  /** Medians of the first and the last quarter. */
  readonly first: number;
  readonly last: number;
}

/**
 * Samples are grouped into this many portions, each represented by its median, because garbage collection makes values
 * vary.
 */
const PORTIONS = 40;

/**
 * Returns the trend of `[time, value]` pairs in chronological order: the median slope between all portions (Theil–Sen).
 */
export function trend(pairs: readonly (readonly [number, number])[]): Trend {
  const size = Math.max(1, Math.ceil(pairs.length / PORTIONS));
  const points = Array.from({ length: Math.floor(pairs.length / size) }, (_, index) => {
    const portion = pairs.slice(index * size, (index + 1) * size);
    return [median(portion.map(([time]) => time)), median(portion.map(([, value]) => value))] as const;
  });
  const slopes = points
    .flatMap(([time, value], index) =>
      points.slice(index + 1).map(([later, other]) => (other - value) / (later - time)),
    )
    .sort((one, other) => one - other);
  const quarter = Math.ceil(points.length / 4);
  const values = points.map(([, value]) => value);
  return {
    slope: round(median(slopes)),
    uncertainty: round(confidence(slopes, points.length)),
    first: round(median(values.slice(0, quarter))),
    last: round(median(values.slice(-quarter))),
  };
}

/** Sen's interval: the distance from the median slope within which Kendall's statistic is not significant. */
function confidence(slopes: readonly number[], points: number): number {
  const spread = 1.96 * Math.sqrt((points * (points - 1) * (2 * points + 5)) / 18);
  const rank = (at: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(at)))] ?? 0;
  return (rank((slopes.length + spread) / 2) - rank((slopes.length - spread) / 2)) / 2;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
