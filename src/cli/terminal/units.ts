const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Returns a size for people: `0 B`, `1.5 KiB`, `512 MiB`. */
export function formatBytes(bytes: number): string {
  const exponent = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), SIZES.length - 1);
  const value = bytes / 1024 ** exponent;
  return `${exponent === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${SIZES[exponent]}`;
}

/** Returns a length of time for people: `84 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns a count with its noun: `1 file`, `5,000 files`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Returns a timestamp of the API in local time, `2026-11-20 23:59`; `never` for none. */
export function formatTime(timestamp: string | null): string {
  if (!timestamp) return "never";
  const time = new Date(timestamp);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
