import type { JSX } from "preact";

/** Decorative icons on a grid of 24; the text beside them has the meaning. */
const PATHS = {
  arrowUpRight: "M7 17 17 7M8 7h9v9",
  bell: "M6 17v-6a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21a2.2 2.2 0 0 0 4 0",
  chart: "M4 20V10m5.5 10V4M15 20v-8m5 8V7",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevron: "m9 6 6 6-6 6",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  download: "M12 4v11m-5-4.5 5 5 5-5M5 20h14",
  folder: "M3 6.5h6l2 2.5h10v10.5H3z",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3.5 12h17M12 3c5 5 5 13 0 18-5-5-5-13 0-18",
  key: "M8 10.5a5 5 0 1 0 0 10 5 5 0 0 0 0-10m3.6 1.4L20.5 3m-4.5 4.5 3 3 2.5-2.5-3-3",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  monitor: "M3.5 5h17v11h-17zM9 20h6m-3-4v4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5",
  pin: "M9 4h6l-.7 6.5L17.5 14v1.5h-11V14l3.2-3.5zM12 15.5V21",
  plus: "M12 5v14M5 12h14",
  search: "M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13m4.8 11.3L20 20",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8m0-5v2m0 14v2m9-9h-2M5 12H3m15.4-6.4L17 7M7 17l-1.4 1.4m12.8 0L17 17M7 7 5.6 5.6",
  terminal: "m5 7 5 5-5 5m7 1h7",
  trash: "M5 7h14M10 7V4.5h4V7m-7.5 0 .8 12.5h9.4L17.5 7",
  undo: "M8 5 4 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11h-3",
  upload: "M12 16V5m-5 4.5 5-5 5 5M5 20h14",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20.5c.6-4 3.7-6 7.5-6s6.9 2 7.5 6",
  warning: "M12 4 2.5 20h19zM12 10v4.5m0 2.6v.2",
  x: "m6 6 12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
