const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Formats a size like the dashboard: `5 bytes`, `1.5 KiB`, `512 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const most = UNITS.length - 1;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), most);
  const value = bytes / 1024 ** power;
  // One byte less than 1 MiB is rounded to 1 MiB, in the next unit.
  if (Math.round(value) === 1024 && power < most) return `1 ${UNITS[power + 1]}`;
  return `${value.toFixed(value < 100 ? 1 : 0).replace(/\.0$/, "")} ${UNITS[power]}`;
}

/** Formats a duration: `84 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a count: `1 file`, `5,000 files`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats a timestamp of the API in local time: `2026-11-20 23:59`; `never` for null. */
export function formatTime(timestamp: string | null): string {
  if (!timestamp) return "never";
  const time = new Date(timestamp);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
