// Takes the pictures in docs/screenshots: every page, light and dark, on a desktop and on a telephone.
//   node scripts/with-bun.mjs scripts/screenshots.ts [NAME ...]     only these pages
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { type Demo, startDemo } from "./screenshots/demo.ts";
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
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", `--host-resolver-rules=MAP * 127.0.0.1:${demo.appliance.config.listen.port}`],
});
try {
  for (const scene of scenes) {
    for (const [device, options] of Object.entries(DEVICES)) {
      const context = await browser.newContext({ ...options, reducedMotion: "reduce", locale: "en-GB" });
      await take(demo, scene, context, device);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await demo.appliance[Symbol.asyncDispose]();
}

/** One visit, two pictures: the theme changes under the finished page. */
async function take({ host, token }: Demo, scene: Scene, context: BrowserContext, device: string): Promise<void> {
  const url = `http://${host}`;
  if (!scene.signedOut) await context.addCookies([{ name: "vitrine", value: token, url }]);
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`${scene.name}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`${scene.name}: ${message.text()}`);
  });
  await page.goto(url + (await scene.path(demo)), { waitUntil: "networkidle" });
  await scene.prepare?.(page);
  for (const theme of ["light", "dark"] as const) await picture(page, scene, device, theme);
}

async function picture(page: Page, scene: Scene, device: string, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await page.waitForTimeout(250);
  const path = join(folder, `${scene.name}-${device}-${theme}.png`);
  await page.screenshot({ path, animations: "disabled" });
  console.log(path);
}
