/** Red, green and blue from 0 to 255. */
type Rgb = readonly [number, number, number];

/** Text in the colour must be readable (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;

/** Steps from a colour to black or white. */
const STEPS = 100;

/**
 * Returns the colour nearest to `color` that has enough contrast to `ground`: darker on a light background, lighter on
 * a dark one. Both are `#rrggbb`.
 */
export function readableOn(color: string, ground: string): string {
  const [from, behind] = [rgbOf(color), rgbOf(ground)];
  const target: Rgb = luminance(behind) > 0.5 ? [0, 0, 0] : [255, 255, 255];
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(from, target, step / STEPS);
    if (contrast(mixed, behind) >= MIN_CONTRAST) return hexOf(mixed);
  }
  return hexOf(target);
}

/** Returns the contrast ratio of two colours, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  return contrast(rgbOf(one), rgbOf(other));
}

// --- internal ---

function rgbOf(color: string): Rgb {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function hexOf(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * share);
  return [part(0), part(1), part(2)];
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((first, second) => first - second) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number) => (part <= 0.04045 * 255 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
