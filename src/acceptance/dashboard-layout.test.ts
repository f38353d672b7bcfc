import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { chooseAction, goLive, show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories();

beforeAll(async () => {
  const user = await vitrine.store.users.findByLogin("local", "ada");
  await vitrine.store.users.setOperator(user?.id ?? 0, true);
  for (let version = 1; version <= 12; version++) {
    await vitrine.deploy(ada, await zipOf({ "index.html": `${version}` }), { site: "blog", access: "private" });
  }
});

const SIZES = [390, 1440] as const;

async function openAt(width: number, path: string): Promise<Page> {
  const { page } = await share();
  await page.setViewportSize({ width, height: 844 });
  await show(page, path);
  return page;
}

test.each(SIZES)("at %i pixels the current tab is visible, also if the tabs scroll", async (width) => {
  const page = await openAt(width, "/dashboard/sites/blog");
  const tab = await page.getByRole("link", { name: "Settings", exact: true }).boundingBox();
  expect(tab?.x).toBeGreaterThanOrEqual(0);
  expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(width);
});

/** The pages on which most parts are loaded on their own. */
const LOADED_IN_PARTS = [
  "/",
  "/dashboard/sites/blog",
  "/dashboard/sites/blog/deployments?deployment=3",
  "/dashboard/sites/nowhere",
  "/dashboard/console",
  "/dashboard/console/people",
];
/** The longest delay of a response, in milliseconds. */
const LATE_MS = 400;

test.each(SIZES)("at %i pixels nothing moves while a page loads, whichever response is late", async (width) => {
  const { page } = await open();
  await page.setViewportSize({ width, height: 844 });
  await page.addInitScript(`window.moved = [];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries()) moved.push([value, ...sources.map(({ node }) => node?.className)]);
    }).observe({ type: "layout-shift", buffered: true })`);
  await page.route("**/*", async (route) => {
    const request = route.request();
    const share = Number(Bun.hash(new URL(request.url()).pathname) % 100n) / 100;
    if (["fetch", "script"].includes(request.resourceType())) await Bun.sleep(share * LATE_MS);
    await route.continue().catch(() => {});
  });
  await page.route("**/events", (route) => route.abort());
  for (const path of LOADED_IN_PARTS) {
    await page.goto(path, { waitUntil: "networkidle" });
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    expect([path, await page.evaluate("moved")]).toEqual([path, []]);
  }
});

test.each(SIZES)("at %i pixels a message covers no button at the end of the page", async (width) => {
  const page = await openAt(width, "/dashboard/sites/blog/deployments");
  // The first deployment stays live.
  const number = width === 390 ? 3 : 2;
  await goLive(page, number);
  await page.locator(".toast").getByText(`Deployment ${number} is live.`).waitFor();
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  expect(await coveredButtons(page)).toEqual([]);
});

/** The visible buttons and links that a message covers partly. */
function coveredButtons(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`{
    const toast = document.querySelector(".toast").getBoundingClientRect();
    [...document.querySelectorAll("main :is(a, button), .top :is(a, button), .foot a")].filter((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      return left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top;
    }).map((button) => button.textContent);
  }`);
}

test("nothing moves when a message expires", async () => {
  const { page } = await open();
  await page.clock.install();
  await page.goto("/dashboard/sites/blog/deployments");
  await pin(page, 1);
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await page.getByRole("button", { name: "Actions for #4", exact: true }).click();
  const item = page.getByRole("menuitem", { name: "Pin" });
  const before = await item.boundingBox();
  await page.clock.fastForward("00:10");
  await page.locator(".toast").waitFor({ state: "detached" });
  expect(await item.boundingBox()).toEqual(before);
  // The room for the message is gone as soon as nobody sees the end of the page.
  await page.keyboard.press("Escape");
  await page.evaluate("scrollTo(0, 0)");
  await page.waitForFunction("document.documentElement.style.getPropertyValue('--toasts-height') === '0px'");
});

test("a menu covers messages, and a dialog those that were there before", async () => {
  const { page } = await open();
  await page.setViewportSize({ width: 390, height: 420 });
  await page.clock.install();
  await page.goto("/dashboard/sites/blog/deployments");
  await pin(page, 2);
  await page.getByRole("button", { name: "Actions for #6", exact: true }).click();
  const item = page.getByRole("menuitem", { name: "Pin" });
  const covers = async () => {
    const [{ x, y, width, height }, toast] = await Promise.all([boxOf(item), boxOf(page.locator(".toast").last())]);
    const isOver = x < toast.x + toast.width && y + height > toast.y && y < toast.y + toast.height;
    const isInFront = await page.evaluate<boolean>(
      `document.elementFromPoint(${x + width / 2}, ${y + height / 2}).closest(".menu") !== null`,
    );
    return isOver && isInFront;
  };
  expect(await covers()).toBe(true);
  // The page announces no change for a while after one of its own.
  await page.clock.fastForward("00:05");
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "arriving" });
  await page.locator(".toast").getByText("arriving is a new site.").waitFor();
  expect(await covers()).toBe(true);

  await page.getByRole("menuitem", { name: /^(Publish|Roll back)/ }).click();
  await page.getByRole("dialog").getByText("Live now").waitFor();
  const cancel = page.getByRole("button", { name: "Cancel" });
  const [box, toast] = await Promise.all([boxOf(cancel), boxOf(page.locator(".toast").last())]);
  expect(box.y + box.height).toBeGreaterThan(toast.y);
  const pictured = await cancel.screenshot();
  await page.clock.fastForward("00:10");
  await page.locator(".toast").last().waitFor({ state: "detached" });
  expect(pictured.equals(await cancel.screenshot())).toBe(true);
});

async function pin(page: Page, number: number): Promise<void> {
  await chooseAction(page, number, "Pin");
  await page.locator(".toast").getByText(`Deployment ${number} is pinned.`).waitFor();
}

async function boxOf(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  return (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
}
test("the Deploy button of a frozen site says why it is disabled", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "stopped" });
  const site = await vitrine.store.sites.find("stopped");
  await vitrine.store.sites.setFrozen(site?.id ?? 0, { at: vitrine.clock.now(), reason: "unpaid" });
  const page = await openAt(1440, "/dashboard/sites/stopped");
  const deploy = page.getByRole("button", { name: "Deploy", exact: true });
  await page.getByText(": unpaid.").waitFor();
  expect(await deploy.getAttribute("title")).toBe("The site is frozen");
  const reason = await deploy.getAttribute("aria-describedby");
  expect(await page.locator(`#${reason}`).textContent()).toContain("unpaid");
});
