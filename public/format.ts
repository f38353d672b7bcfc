const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** `48213` → `48.2 kB`; decimal units, as file managers show them. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const value = bytes / 1000 ** power;
  return `${value.toFixed(value < 100 ? 1 : 0).replace(/\.0$/, "")} ${UNITS[power]}`;
}

const numbers = new Intl.NumberFormat("en");

export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** `count(2, "file")` → `2 files`. */
export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** `3 hours ago`; within a minute it is `just now`, also when the two clocks differ a little. */
export function formatRelative(timestamp: string, now: number): string {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? [null, 1];
  return unit === null ? "just now" : relative.format(Math.trunc(seconds / size), unit);
}

const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export function formatMoment(timestamp: string): string {
  return moments.format(new Date(timestamp));
}

/** The API's sentences begin with the name of an error, in small letters; a hostname in front stays as it is. */
export function sentence(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}
