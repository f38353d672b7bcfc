import { expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { openWindow, startChromium } from "./testing/chromium.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const { afterAll, beforeAll, test } = needing("browser");

let vitrine: TestServer;
let browser: Browser;
let ada: string;

beforeAll(async () => {
  vitrine = await startTestServer({ workers: "1" });
  browser = await startChromium();
  ada = (await vitrine.signUp("ada")).token;
  for (let version = 1; version <= 12; version++) {
    await vitrine.deploy(ada, await zipOf({ "index.html": `${version}` }), { site: "blog", access: "private" });
  }
});
afterAll(async () => {
  await browser?.close();
  await vitrine?.[Symbol.asyncDispose]();
});

const SIZES = [390, 1440] as const;

async function open(width: number, path: string): Promise<Page> {
  const { page } = await openWindow(browser, vitrine, ada);
  await page.setViewportSize({ width, height: 844 });
  await page.goto(path);
  return page;
}

test.each(SIZES)("at %i pixels every tab is in sight, and the first begins where the heading does", async (width) => {
  const page = await open(width, "/dashboard/sites/blog/settings");
  await page.getByRole("link", { name: "Settings" }).waitFor();
  const tabs = await Promise.all((await page.locator(".tabs a").all()).map((tab) => tab.boundingBox()));
  for (const tab of tabs) {
    expect(tab?.x).toBeGreaterThanOrEqual(0);
    expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(width);
  }
  const heading = await page.getByRole("heading", { name: "blog" }).boundingBox();
  expect(Math.abs((tabs[0]?.x ?? 0) - (heading?.x ?? 0))).toBeLessThan(1);
});

test.each(SIZES)("at %i pixels a message lies over no button at either end of the page", async (width) => {
  const page = await open(width, "/dashboard/sites/blog");
  // The first of them leaves its deployment live.
  const number = width === 390 ? 3 : 2;
  await page.getByRole("button", { name: `Roll back to deployment ${number}` }).click();
  await page.locator(".toast").getByText(`Deployment ${number} is live.`).waitFor();
  const end = width === 390 ? "document.documentElement.scrollHeight" : "0";
  await page.evaluate(`scrollTo(0, ${end})`);
  expect(await coveredButtons(page)).toEqual([]);
});

/** The buttons and links in sight of which a message covers a part. */
function coveredButtons(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`{
    const toast = document.querySelector(".toast").getBoundingClientRect();
    [...document.querySelectorAll("main :is(a, button), .top :is(a, button), .foot a")].filter((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      return left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top;
    }).map((button) => button.textContent);
  }`);
}

test("a frozen site says at its Deploy button why it cannot be pressed", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "stopped" });
  const site = await vitrine.store.sites.find("stopped");
  await vitrine.store.sites.setFrozen(site?.id ?? 0, { at: vitrine.clock.now(), reason: "unpaid" });
  const page = await open(1440, "/dashboard/sites/stopped");
  const deploy = page.getByRole("button", { name: "Deploy", exact: true });
  await page.getByText(": unpaid.").waitFor();
  expect(await deploy.getAttribute("title")).toBe("The site is frozen");
  const reason = await deploy.getAttribute("aria-describedby");
  expect(await page.locator(`#${reason}`).textContent()).toContain("unpaid");
});
