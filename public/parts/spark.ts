export const SPARK_WIDTH = 88;
export const SPARK_HEIGHT = 24;
/** Space above the highest value, so that the line is not cut off. */
const TOP = 2;
/** The minimum of a row's scale, so that two views do not look like a success. */
const MIN_PEAK = 8;

/**
 * Returns the line through `values`, oldest first, as the path of an SVG of 88 by 24; empty for fewer than two values.
 */
export function sparkLine(values: readonly number[]): string {
  if (values.length < 2) return "";
  const peak = Math.max(MIN_PEAK, ...values);
  const step = SPARK_WIDTH / (values.length - 1);
  return values
    .map((value, index) => {
      const x = rounded(index * step);
      const y = rounded(SPARK_HEIGHT - 1 - (value / peak) * (SPARK_HEIGHT - 1 - TOP));
      return `${index === 0 ? "M" : "L"}${x} ${y}`;
    })
    .join("");
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
