/** Formats seconds for people, rounded up to the unit that fits: `1 second`, `12 minutes`, `2 hours`. */
export function formatWaitingTime(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const [amount, unit] =
    seconds < 60 ? [seconds, "second"] : minutes < 60 ? [minutes, "minute"] : [Math.ceil(minutes / 60), "hour"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
