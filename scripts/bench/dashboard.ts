// Measures what a person waits for in the dashboard: the first paint, the finished page, what moves meanwhile, and how
// much comes over the line. Everything is asked for the first time, from a browser that has nothing kept.
//   node scripts/with-bun.mjs scripts/bench/dashboard.ts
import type { Page } from "playwright-core";
import { startChromium } from "../../src/acceptance/testing/chromium.ts";
import { startDemo } from "../screenshots/demo.ts";

const RUNS = 5;
const PAGES = ["/sign-in", "/", "/dashboard/sites/atlas-docs", "/dashboard/sites/atlas-docs/analytics"];

interface Figures {
  /** Milliseconds from the navigation's start. */
  readonly firstPaint: number;
  readonly largestPaint: number;
  /** Cumulative layout shift: 0 where nothing moves by itself. */
  readonly layoutShift: number;
  readonly bytes: number;
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
})`;

const demo = await startDemo();
const browser = await startChromium(demo.hostRules);
try {
  console.log("| page | first paint | largest paint | layout shift | over the line |\n|---|---|---|---|---|");
  for (const path of PAGES) {
    const runs: Figures[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measure(path));
    console.log(row(path, runs));
  }
} finally {
  await browser.close();
  await demo.stop();
}

async function measure(path: string): Promise<Figures> {
  const url = `http://${demo.host}`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  if (path !== "/sign-in") await context.addCookies([{ name: "vitrine", value: demo.token, url }]);
  const page: Page = await context.newPage();
  await page.addInitScript(OBSERVE);
  // The event stream never ends: the network would not be idle.
  await page.route("**/events", (route) => route.abort());
  await page.goto(url + path, { waitUntil: "networkidle" });
  const figures = await page.evaluate<Figures>(READ);
  await context.close();
  return figures;
}

function row(path: string, runs: readonly Figures[]): string {
  const median = (figure: keyof Figures) =>
    runs.map((run) => run[figure]).sort((one, other) => one - other)[RUNS >> 1] ?? 0;
  const milliseconds = (figure: keyof Figures) => `${Math.round(median(figure))} ms`;
  const worstShift = Math.max(...runs.map(({ layoutShift }) => layoutShift));
  const kilobytes = `${(median("bytes") / 1000).toFixed(1)} kB`;
  return `| ${path} | ${milliseconds("firstPaint")} | ${milliseconds("largestPaint")} | ${worstShift.toFixed(4)} | ${kilobytes} |`;
}
