const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Formats a size: `5 bytes`, `1.5 KiB`, `512 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const most = UNITS.length - 1;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), most);
  const value = bytes / 1024 ** power;
  // One byte less than 1 MiB is rounded to 1 MiB, in the next unit.
  if (Math.round(value) === 1024 && power < most) return `1 ${UNITS[power + 1]}`;
  return `${value.toFixed(value < 100 ? 1 : 0).replace(/\.0$/, "")} ${UNITS[power]}`;
}
