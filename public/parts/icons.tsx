import type { JSX } from "preact";

/** Decorative icons on a grid of 24; the text beside them has the meaning. */
const PATHS = {
  agent: "M5 9h14v10H5zM12 5v4M9 13.5v1m6-1v1M2.5 13v3m19-3v3",
  archive: "M4 5h16v4H4zm1 4v10h14V9m-9 4h4",
  arrowDown: "M12 5v14m-6-6 6 6 6-6",
  arrowRight: "M5 12h14m-6-6 6 6-6 6",
  arrowUp: "M12 19V5m-6 6 6-6 6 6",
  arrowUpRight: "M7 17 17 7M8 7h9v9",
  bell: "M6 17v-6a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21a2.2 2.2 0 0 0 4 0",
  branch:
    "M7 4v11m0 0a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5m10-6a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5m0 0c0 4-3.5 4.5-7 5",
  chart: "M4 20V10m5.5 10V4M15 20v-8m5 8V7",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevronDown: "m7 10 5 5 5-5",
  clock: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7.5V12l3 2",
  commit: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M3 12h5.5m7 0H21",
  compare: "M8 4v16m0 0-4-4m4 4 4-4M16 20V4m0 0-4 4m4-4 4 4",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  dots: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  download: "M12 4v11m-5-4.5 5 5 5-5M5 20h14",
  folder: "M3 6.5h6l2 2.5h10v10.5H3z",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3.5 12h17M12 3c5 5 5 13 0 18-5-5-5-13 0-18",
  info: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 11v5m0-8.2v.2",
  key: "M8 10.5a5 5 0 1 0 0 10 5 5 0 0 0 0-10m3.6 1.4L20.5 3m-4.5 4.5 3 3 2.5-2.5-3-3",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  list: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  monitor: "M3.5 5h17v11h-17zM9 20h6m-3-4v4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5",
  pin: "M9 4h6l-.7 6.5L17.5 14v1.5h-11V14l3.2-3.5zM12 15.5V21",
  play: "M8 5.5v13l10.5-6.5z",
  plus: "M12 5v14M5 12h14",
  qr: "M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm10 0h2m4 0v2m-6 4h2m4-2v2m-4-4h2",
  refresh: "M20 11a8 8 0 0 0-14.5-4L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14.5 4l1.5-1.5m0 4.5v-4.5h-4.5",
  route:
    "M6 17a2 2 0 1 0 0 4 2 2 0 0 0 0-4m12-14a2 2 0 1 0 0 4 2 2 0 0 0 0-4M8 19h7a3.5 3.5 0 0 0 0-7H9a3.5 3.5 0 0 1 0-7h7",
  search: "M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13m4.8 11.3L20 20",
  server: "M4 5h16v6H4zm0 8h16v6H4zM7.5 8h.01M7.5 16h.01",
  settings:
    "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4m-7 10a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4",
  shield: "M12 3.5 5 6v5.5c0 4.5 3 7.5 7 9 4-1.5 7-4.5 7-9V6z",
  signOut: "M14 4h6v16h-6M4 12h11m-4-4 4 4-4 4",
  snowflake: "M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M9.5 4.5 12 7l2.5-2.5m-5 15L12 17l2.5 2.5",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8m0-5v2m0 14v2m9-9h-2M5 12H3m15.4-6.4L17 7M7 17l-1.4 1.4m12.8 0L17 17M7 7 5.6 5.6",
  tag: "M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01",
  terminal: "m5 7 5 5-5 5m7 1h7",
  trash: "M5 7h14M10 7V4.5h4V7m-7.5 0 .8 12.5h9.4L17.5 7",
  undo: "M8 5 4 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11h-3",
  upload: "M12 16V5m-5 4.5 5-5 5 5M5 20h14",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20.5c.6-4 3.7-6 7.5-6s6.9 2 7.5 6",
  users:
    "M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M2.5 19.5c.5-3.5 3-5 6.5-5s6 1.5 6.5 5M16 5.3a3.5 3.5 0 0 1 0 6.4m2.3 3.2c1.8.8 2.9 2.3 3.2 4.6",
  warning: "M12 4 2.5 20h19zM12 10v4.5m0 2.6v.2",
  x: "m6 6 12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon in the size that its place gives to `.icon` (16 px by default), or of `size` pixels. */
export function Icon({ name, size }: { name: IconName; size?: number }): JSX.Element {
  const box = size === undefined ? {} : { style: { width: `${size / 16}rem`, height: `${size / 16}rem` } };
  return (
    <svg class={name === "dots" ? "icon dots" : "icon"} viewBox="0 0 24 24" aria-hidden="true" {...box}>
      <path d={PATHS[name]} />
    </svg>
  );
}
