// Takes the screenshots in docs/screenshots: every page, light and dark, on a desktop and a phone.
//   node scripts/with-bun.mjs scripts/screenshots.ts [NAME ...] only these pages
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { startChromium } from "../src/acceptance/testing/chromium.ts";
import { startDemo } from "./screenshots/demo.ts";
import { SCENES, type Scene } from "./screenshots/scenes.ts";

const folder = process.env.VITRINE_SCREENSHOTS ?? join(import.meta.dir, "..", "docs", "screenshots");
const wanted = process.argv.slice(2);
const scenes = SCENES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

const DEVICES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const;

mkdirSync(folder, { recursive: true });
const demo = await startDemo();
const browser = await startChromium(demo.hostRules);
const converter = await browser.newPage();
try {
  for (const scene of scenes) {
    for (const [device, options] of Object.entries(DEVICES)) {
      const context = await browser.newContext({ ...options, locale: "en-GB" });
      await take(scene, context, device);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await demo.stop();
}

/** Takes two screenshots of one visit. The theme changes after the page is complete. */
async function take(scene: Scene, context: BrowserContext, device: string): Promise<void> {
  const url = `http://${demo.host}`;
  const value = scene.whose === "newcomer" ? demo.newcomer : demo.token;
  if (scene.whose !== "nobody") await context.addCookies([{ name: "vitrine", value, url }]);
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`${scene.name}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`${scene.name}: ${message.text()}`);
  });
  // The event stream never ends, so the network would never be idle.
  await page.route("**/events", (route) => route.fulfill({ status: 204 }));
  await page.goto(new URL(await scene.path(demo), url).href, { waitUntil: "networkidle" });
  await scene.prepare?.(page);
  for (const theme of ["light", "dark"] as const) await picture(page, scene, device, theme);
}

async function picture(page: Page, scene: Scene, device: string, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  // The chart is drawn again in the colours of the other theme.
  await page.waitForTimeout(250);
  const png = await page.screenshot({ animations: "disabled" });
  const file = join(folder, `${scene.name}-${device}-${theme}.webp`);
  await Bun.write(file, await webp(png));
  console.log(file);
}

/** Converts a PNG of Playwright to WebP in the browser, which halves the size. */
async function webp(png: Buffer): Promise<Uint8Array> {
  const base64 = await converter.evaluate<string>(`(async () => {
    const bytes = Uint8Array.from(atob("${png.toString("base64")}"), (byte) => byte.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.9 });
    const made = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(made, (byte) => String.fromCharCode(byte)).join(""));
  })()`);
  return Buffer.from(base64, "base64");
}
