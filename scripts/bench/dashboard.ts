// Measures the dashboard: first paint, complete page, layout shift, transferred bytes, and how smoothly a list of 2,000
// sites scrolls. The browser starts with an empty cache for each page.
//   node scripts/with-bun.mjs scripts/bench/dashboard.ts [--sites 2000] [--deployments 10000]
import { parseArgs } from "node:util";
import type { Page, Route } from "playwright-core";
import { startChromium } from "../../src/acceptance/testing/chromium.ts";
import { startDemo } from "../screenshots/demo.ts";
import { median, quantile } from "../statistics.ts";
import { copySite } from "./many-sites.ts";

const { values } = parseArgs({
  options: { sites: { type: "string", default: "2000" }, deployments: { type: "string", default: "10000" } },
});
const RUNS = 5;
const SITE = "/dashboard/sites/atlas-docs";
const PAGES = ["/sign-in", "/", SITE, `${SITE}/analytics`];
/** Whose layout is watched, at each of the widths. */
const WATCHED = [
  ...PAGES,
  ...["deployments", "explain?path=/manual/start", "settings", "activity"].map((page) => `${SITE}/${page}`),
  ...["domains", "tokens", "shares", "webhooks", "retention", "danger"].map((panel) => `${SITE}/settings/${panel}`),
  "/dashboard/account",
  "/dashboard/account/sessions",
  "/dashboard/account/command-line",
  ...["", "/people", "/sites", "/jobs", "/backups", "/audit", "/settings"].map((page) => `/dashboard/console${page}`),
];
const WIDTHS = [390, 768, 1440];
/** The longest delay of a late response. */
const LATE_MS = 900;

interface Figures {
  /** Milliseconds since the start of the navigation. */
  readonly firstPaint: number;
  readonly largestPaint: number;
  /** Cumulative layout shift. 0 means that nothing moved. */
  readonly layoutShift: number;
  readonly bytes: number;
  /** Bytes of scripts only. */
  readonly script: number;
}

const OBSERVE = `
  window.shift = 0; window.largest = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) largest = entry.startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });`;

const READ = `({
  firstPaint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
  largestPaint: largest,
  layoutShift: shift,
  bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, entry) => sum + entry.transferSize, 0),
  script: performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"))
    .reduce((sum, entry) => sum + entry.transferSize, 0),
})`;

/** A window's height at once, as by the key Page Down that is held. */
const STEPS = 60;

/** Scrolls a window's height with each frame, and returns the milliseconds between the frames. */
const SCROLL = `new Promise((resolve) => {
  const frames = []; let last = performance.now();
  const step = () => {
    const now = performance.now(); frames.push(now - last); last = now;
    if (frames.length > ${STEPS}) return resolve(frames.slice(1));
    scrollBy(0, innerHeight); requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const demo = await startDemo({ "max-user-sites": "off", "max-user-bytes": "off" });
const many = { sites: Number(values.sites), deployments: Number(values.deployments) };
const began = performance.now();
copySite(demo.server.config.dataDir, "atlas-docs", many);
console.log(`${many.sites} sites with ${many.deployments} deployments in ${seconds(performance.now() - began)}\n`);
const browser = await startChromium(demo.hostRules);
try {
  console.log(
    "| page | first paint | largest paint | layout shift | over the line | script |\n|---|---|---|---|---|---|",
  );
  for (const path of PAGES) {
    const runs: Figures[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measure(path));
    console.log(row(path, runs));
  }
  await watchLayout();
  await measureList();
} finally {
  await browser.close();
  await demo.stop();
}

async function openPage(path: string, width = 1280) {
  const url = `http://${demo.host}`;
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  if (path !== "/sign-in") await context.addCookies([{ name: "vitrine", value: demo.token, url }]);
  const page: Page = await context.newPage();
  return { url, context, page };
}

/** Opens a page without its event stream, which would keep the network from becoming idle. */
async function openSettled(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "networkidle" });
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.waitForTimeout(500);
}

async function measure(path: string, { width, late = 0 }: { width?: number; late?: number } = {}): Promise<Figures> {
  const { url, context, page } = await openPage(path, width);
  await page.addInitScript(OBSERVE);
  if (late > 0) await page.route("**/*", (route) => continueLate(route, late));
  await page.route("**/events", (route) => route.abort());
  await openSettled(page, url + path);
  const figures = await page.evaluate<Figures>(READ);
  await context.close();
  return figures;
}

/** Delays data and scripts by up to `LATE_MS`, each differently; another `order` leads to other delays. */
async function continueLate(route: Route, order: number): Promise<void> {
  const request = route.request();
  const { pathname } = new URL(request.url());
  const share = Number(Bun.hash(`${order} ${pathname}`) % 1000n) / 1000;
  if (["fetch", "script"].includes(request.resourceType())) await Bun.sleep(share * LATE_MS);
  await route.continue().catch(() => {});
}

/** Names the pages that move while they load: with responses at once, and with late ones in other orders. */
async function watchLayout(): Promise<void> {
  for (const width of WIDTHS) {
    const moved: string[] = [];
    for (const path of WATCHED) {
      for (const late of [0, 1, 2]) {
        const { layoutShift } = await measure(path, { width, late });
        if (layoutShift > 0) moved.push(`${path} ${layoutShift.toFixed(4)}${late > 0 ? " with late responses" : ""}`);
      }
    }
    console.log(`\nlayout shift of ${WATCHED.length} pages at ${width} px: ${moved.join(", ") || "0"}`);
  }
}

/** Measures the list of all sites: its requests, its search, and its frames during a scroll from top to bottom. */
async function measureList(): Promise<void> {
  const { page, context } = await openPage("/");
  await page.route("**/events", (route) => route.abort());
  await openSettled(page, `http://${demo.host}/`);
  const busy = await startProcessorTime(page);
  const frames = await page.evaluate<number[]>(SCROLL);
  const perStep = (await busy()) / STEPS;
  const at = (share: number) => quantile(frames, share).toFixed(1);
  const long = frames.filter((frame) => frame > 50).length;
  console.log(
    `\nscrolling by a window's height: median ${at(0.5)} ms, p95 ${at(0.95)} ms, ${long} of ${STEPS} over 50 ms; ` +
      `processor time of the page ${perStep.toFixed(1)} ms`,
  );
  const typed = await page.evaluate<number>(`new Promise((resolve) => {
    const field = document.querySelector("[data-search]"); const began = performance.now();
    field.value = "site-19"; field.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  })`);
  console.log(`searching: drawn ${typed.toFixed(1)} ms after a key`);
  for (const path of ["/sites", "/site-figures"]) {
    const times = await page.evaluate<number[]>(`(async () => {
      const times = [];
      for (let run = 0; run < 5; run++) {
        const began = performance.now(); await (await fetch("${path}")).text(); times.push(performance.now() - began);
      }
      return times.sort((one, other) => one - other);
    })()`);
    console.log(`GET ${path}: ${(times[2] ?? 0).toFixed(1)} ms`);
  }
  await context.close();
}

/** Returns a function that returns the milliseconds of processor time since, of the page's main thread. */
async function startProcessorTime(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
  };
  const before = await read();
  return async () => (await read()) - before;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function row(path: string, runs: readonly Figures[]): string {
  const medianOf = (figure: keyof Figures) => median(runs.map((run) => run[figure]));
  const milliseconds = (figure: keyof Figures) => `${Math.round(medianOf(figure))} ms`;
  const worstShift = Math.max(...runs.map(({ layoutShift }) => layoutShift));
  const kilobytes = (figure: "bytes" | "script") => `${(medianOf(figure) / 1000).toFixed(1)} kB`;
  return `| ${path} | ${milliseconds("firstPaint")} | ${milliseconds("largestPaint")} | ${worstShift.toFixed(4)} | ${kilobytes("bytes")} | ${kilobytes("script")} |`;
}
