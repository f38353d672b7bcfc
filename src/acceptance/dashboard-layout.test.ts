import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { dropFiles } from "./testing/chromium.ts";
import { chooseAction, PHONE, show, withoutEvents } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";
import { addViews } from "./testing/views.ts";
import { waitUntil } from "./testing/wait-until.ts";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories();

/** The longest name, in the widest letter, without a possible line break. */
const SITE = "w".repeat(50);
const TOKEN = "W".repeat(100);
const LONG_PATH = `/${"missing".repeat(21)}`;
const LONG_HOST = `${"referrer".repeat(7)}.${"referrer".repeat(7)}.example`;

beforeAll(async () => {
  const user = await vitrine.store.users.findByLogin("local", "ada");
  await vitrine.store.users.setOperator(user?.id ?? 0, true);
  for (let version = 1; version <= 12; version++) {
    await vitrine.deploy(ada, await zipOf({ "index.html": `${version}` }), { site: "blog", access: "private" });
  }
  for (const text of ["one", "two"]) await vitrine.deploy(ada, await zipOf({ "index.html": text }), { site: SITE });
  await addViews(vitrine, SITE);
  await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: SITE, name: TOKEN } });
});

/** Shows a page in the window that the stories share. */
async function sharedPage(path: string, size = { width: 1440, height: 844 }): Promise<Page> {
  const { page } = await share();
  await page.setViewportSize(size);
  await show(page, path);
  return page;
}

test("on a phone, where the navigation of the settings scrolls, the current page's link is visible", async () => {
  const page = await sharedPage("/dashboard/sites/blog/settings/danger", PHONE);
  const link = page.locator(".side-nav [aria-current]");
  await link.waitFor();
  // It is scrolled after it was drawn.
  await waitUntil(
    () => boxOf(link),
    ({ x, width }) => x + width <= PHONE.width,
  );
});

test("a token with an expiry is described in one line", async () => {
  for (const [name, expires_in] of [
    ["lasting", undefined],
    ["passing", "30d"],
  ]) {
    await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: "blog", name, expires_in } });
  }
  const page = await sharedPage("/dashboard/sites/blog/settings/tokens");
  const heightOf = async (name: string) => {
    const row = page.getByRole("listitem").filter({ hasText: name });
    await row.waitFor();
    return (await row.boundingBox())?.height ?? 0;
  };
  // A line above all rows but the first.
  expect(Math.abs((await heightOf("passing")) - (await heightOf("lasting")))).toBeLessThanOrEqual(1);
  await page.getByText("Expires in 30 days").waitFor();
});

test("a button that can do nothing does not react to the pointer", async () => {
  const page = await sharedPage("/dashboard/sites/blog/settings/shares");
  const button = page.getByRole("button", { name: "Create share" });
  await page.getByRole("radio", { name: "Password" }).check();
  const before = await page.evaluate(LOOK_OF_BUTTON);
  await button.hover({ force: true });
  expect(await page.evaluate(LOOK_OF_BUTTON)).toEqual(before);
});

/** Returns the colours after all transitions. */
const LOOK_OF_BUTTON = `(async () => {
  const button = document.querySelector("main [type=submit]");
  await Promise.all(button.getAnimations().map(({ finished }) => finished));
  const { color, backgroundColor, borderColor } = getComputedStyle(button);
  return { color, backgroundColor, borderColor };
})()`;

/** The pages on which most parts are loaded on their own. */
const LOADED_IN_PARTS = [
  "/",
  "/dashboard/sites/blog",
  "/dashboard/sites/blog/deployments?deployment=3",
  "/dashboard/sites/nowhere",
  "/dashboard/console",
];
/** The longest delay of a response, in milliseconds. */
const LATE_MS = 400;

test("nothing moves while a page loads, whichever response is late", async () => {
  const { page } = await open();
  // On a phone everything is in one column, so that what grows moves all that follows.
  await page.setViewportSize(PHONE);
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
  // The browser does report what moves.
  await page.evaluate("document.querySelector('main').style.marginTop = '100px'");
  await waitUntil(
    () => page.evaluate<unknown[]>("moved"),
    (moved) => moved.length > 0,
  );
});

test("a message covers no button at the end of the page, and nothing moves when it expires", async () => {
  const { page } = await open();
  await page.addInitScript(EXPIRE_ON_REQUEST);
  await page.setViewportSize(PHONE);
  await page.goto("/dashboard/sites/blog/deployments");
  await withoutEvents(page);
  const reserved = () =>
    page.evaluate<number>("parseFloat(document.documentElement.style.getPropertyValue('--toasts-height')) || 0");
  await pin(page, 1);
  await waitUntil(reserved, (height) => height > 0);
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  expect(await coveredButtons(page)).toEqual([]);
  const item = await pinItemOf(page, 4);
  const before = [await boxOf(item), await reserved()];
  await page.evaluate("expireMessages()");
  await page.locator(".toast").waitFor({ state: "detached" });
  await page.evaluate(DRAWN);
  expect([await boxOf(item), await reserved()]).toEqual(before);
  // The space for the message is removed once the end of the page is out of view.
  await page.keyboard.press("Escape");
  await page.evaluate("scrollTo(0, 0)");
  await waitUntil(reserved, (height) => height === 0);
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

/** Runs in the page before its scripts. On a busy machine, a clock of the page would end a message too early. */
const EXPIRE_ON_REQUEST = `{
  const start = setTimeout;
  const messages = [];
  setTimeout = (run, delay, ...rest) => (delay === 10_000 ? messages.push(run) : start(run, delay, ...rest));
  expireMessages = () => messages.splice(0).forEach((expire) => expire());
}`;

/** The page reserves the space for a message when it has drawn it, and may remove it when it has drawn the rest. */
const DRAWN = "new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))";

test("a menu covers messages, and a dialog those that were there before", async () => {
  const page = await sharedPage("/dashboard/sites/blog/deployments", { ...PHONE, height: 420 });
  await pin(page, 2);
  const item = await pinItemOf(page, 6);
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
  await page.evaluate(FIVE_SECONDS_LATER);
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "arriving" });
  await page
    .locator(".toast")
    .getByText("arriving is a new site.")
    .waitFor()
    .finally(() => page.evaluate("delete performance.now"));
  expect(await covers()).toBe(true);

  await page.getByRole("menuitem", { name: /^(Publish|Roll back)/ }).click();
  await page.getByRole("dialog").getByText("Live now").waitFor();
  const cancel = page.getByRole("button", { name: "Cancel" });
  const [box, toast] = await Promise.all([boxOf(cancel), boxOf(page.locator(".toast").last())]);
  expect(box.y + box.height).toBeGreaterThan(toast.y);
  const pictured = await cancel.screenshot();
  await page.evaluate("for (const button of document.querySelectorAll('.toast [aria-label=Dismiss]')) button.click()");
  await page.locator(".toast").last().waitFor({ state: "detached" });
  expect(pictured.equals(await cancel.screenshot())).toBe(true);
});

/** Changes what the page takes for the time, but ends no message, as a clock of the page would on a busy machine. */
const FIVE_SECONDS_LATER = `{
  const { now } = performance;
  performance.now = () => now.call(performance) + 5000;
}`;

async function pin(page: Page, number: number): Promise<void> {
  await chooseAction(page, number, "Pin");
  await page.locator(".toast").getByText(`Deployment ${number} is pinned.`).waitFor();
}

/** Opens the menu in a deployment's row. */
async function pinItemOf(page: Page, number: number): Promise<Locator> {
  await page.getByRole("button", { name: `Actions for #${number}`, exact: true }).click();
  // It has its place once it has the focus.
  await page.locator(".menu:popover-open :focus").waitFor();
  return page.getByRole("menuitem", { name: "Pin" });
}

async function boxOf(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  return (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
}

test("the Deploy button of a frozen site says why it is disabled", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "stopped" });
  const site = await vitrine.store.sites.find("stopped");
  await vitrine.store.sites.setFrozen(site?.id ?? 0, { at: vitrine.clock.now(), reason: "unpaid" });
  const page = await sharedPage("/dashboard/sites/stopped");
  const deploy = page.getByRole("button", { name: "Deploy", exact: true });
  await page.getByText(": unpaid.").waitFor();
  expect(await deploy.getAttribute("title")).toBe("The site is frozen");
  const reason = await deploy.getAttribute("aria-describedby");
  expect(await page.locator(`#${reason}`).textContent()).toContain("unpaid");
});

const PAGES = [
  ["/", "Last deployment"],
  [`/dashboard/sites/${SITE}`, "First deployment"],
  [`/dashboard/sites/${SITE}/deployments`, "First deployment"],
  [`/dashboard/sites/${SITE}/analytics`, "Bot views"],
  [`/dashboard/sites/${SITE}/settings`, "Visibility"],
  [`/dashboard/sites/${SITE}/settings/domains`, "Custom domains"],
  [`/dashboard/sites/${SITE}/settings/tokens`, "Never used"],
  [`/dashboard/sites/${SITE}/settings/webhooks`, "No webhooks yet"],
  [`/dashboard/sites/${SITE}/activity`, "Created the deployment token"],
  [`/dashboard/sites/${SITE}/settings/retention`, "All deployments are kept."],
] as const;

const PRIVATE_PAGES = [
  ["/dashboard/sites/brisk-otter-4821", "First deployment"],
  ["/dashboard/sites/brisk-otter-4821/settings", "No readers yet"],
  ["/dashboard/sites/brisk-otter-4821/settings/webhooks", "Send test"],
  ["/dashboard/account", "Signed in as ada"],
] as const;

test("the longest names, and text at 200 percent, fit the width of a phone", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "one" }), { site: "brisk-otter-4821", access: "private" });
  const path = "/sites/brisk-otter-4821/webhooks";
  await vitrine.call("POST", path, { token: ada, json: { url: "https://hooks.example.org/vitrine", events: null } });
  const { page } = await share();
  await page.setViewportSize(PHONE);
  for (const [path, shows] of [...PAGES, ...PRIVATE_PAGES]) {
    await show(page, path);
    await page.getByText(shows).first().waitFor();
    if (path.endsWith("/settings")) {
      await page.getByLabel("Who can open them").selectOption("private");
      await page.locator(".toast").getByRole("button", { name: "Undo" }).waitFor();
    }
    expect([path, await tooWide(page), await cutOffAt(200, page)]).toEqual([path, [], []]);
  }
});

test("the longest names fit the dialogs of a phone", async () => {
  const { page } = await share();
  await page.setViewportSize(PHONE);
  await show(page, `/dashboard/sites/${SITE}/deployments`);
  await chooseAction(page, 1, "Set alias…");
  await page.getByRole("dialog").getByLabel("Alias").waitFor();
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel" }).click();

  await show(page, `/dashboard/sites/${SITE}/settings/danger`);
  await page.getByRole("button", { name: `Delete ${SITE}` }).click();
  await page.getByLabel(`Type ${SITE} to confirm`).waitFor();
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel" }).click();

  await show(page, `/dashboard/sites/${SITE}/settings/tokens`);
  await page.getByRole("button", { name: `Revoke ${TOKEN}` }).click();
  await page.getByRole("button", { name: "Revoke token" }).waitFor();
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel" }).click();

  await dropFiles(page, { [`${"f".repeat(90)}.zip`]: await zipOf({ "index.html": "three" }) });
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Deploy" }).waitFor();
  expect(await tooWide(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await dialog.getByRole("link", { name: "Visit" }).waitFor();
  expect(await tooWide(page)).toEqual([]);
});

test("long paths, hosts and figures of visitors fit the width of a phone", async () => {
  const { page } = await share();
  await page.setViewportSize(PHONE);
  await page.route("**/analytics?*", async (route) => {
    const response = await route.fetch();
    const seen = {
      pages: [{ path: LONG_PATH, views: 12 }],
      referrers: [{ host: LONG_HOST, views: 3 }],
      not_found: [{ path: LONG_PATH, requests: 1 }],
      total: { views: 123_456_789_012, visitors: 98_765_432, bytes: 9e15, bot_views: 12_345_678 },
    };
    await route.fulfill({ response, json: { ...((await response.json()) as object), ...seen } });
  });
  await show(page, `/dashboard/sites/${SITE}/analytics`);
  await page.getByText(LONG_HOST).waitFor();
  expect(await tooWide(page)).toEqual([]);
  // A request that is still running when the window closes would fail the next test.
  await page.unrouteAll({ behavior: "wait" });
});

test("analytics are shown by hour, with complete lists on request, and downloaded as shown", async () => {
  const { page } = await share();
  await show(page, `/dashboard/sites/${SITE}/analytics`);
  await page.getByText("48 hours").click();
  await page.waitForURL(/\?hours=48$/);
  await page.getByRole("img", { name: "Views and visitors by hour: 40 views in 48 hours" }).waitFor();
  const cells = (table: string) => page.getByRole("table", { name: table }).locator("th, td").allInnerTexts();
  expect(await cells("Pages")).toHaveLength(7 * 3);
  await page.getByRole("button", { name: "All pages" }).click();
  expect((await cells("Pages")).slice(-3)).toEqual(["/page-8", "1", "2.5 %"]);
  expect(await cells("Countries")).toEqual(["Germany", "30", "75 %", "Unknown", "10", "25 %"]);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV" }).click();
  expect(await Bun.file(await (await download).path()).text()).toContain("\ncountry,DE,30,");
});

test("the selection is visible in forced colours", async () => {
  const page = await sharedPage(`/dashboard/sites/${SITE}/analytics`);
  await page.getByText("Bot views").first().waitFor();
  await page.emulateMedia({ forcedColors: "active" });
  const [highlight = "", ...looks] = await page.evaluate<string[]>(`{
    const colorOf = (element, part) => getComputedStyle(element, part).backgroundColor;
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.backgroundColor = "Highlight";
    const colors = [
      colorOf(probe),
      colorOf(document.querySelector(".segments :has(:checked)")),
      colorOf(document.querySelector(".tab[aria-current]"), "::after"),
    ];
    probe.remove();
    colors;
  }`);
  await page.emulateMedia({ forcedColors: "none" });
  expect(looks).toEqual([highlight, highlight]);
});

/** Elements that are wider than their container, which would cut them off. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll("main, main > :not(.visually-hidden, .with-side), .panel, dialog, .card:not(.table-card)")]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((place) => place.className + " by " + (place.scrollWidth - place.clientWidth))`);
}

/** Whether the text of the chosen option does not fit into its select. Chromium does not report it as overflow. */
const CHOICE_IS_CUT_OFF = `(select) => {
  const text = document.createElement("div");
  text.textContent = select.selectedOptions[0].text;
  const { fontFamily, fontSize, fontWeight, lineHeight, padding, border } = getComputedStyle(select);
  Object.assign(text.style, { fontFamily, fontSize, fontWeight, lineHeight, padding, border });
  Object.assign(text.style, { position: "absolute", boxSizing: "border-box", width: select.offsetWidth + "px" });
  document.body.append(text);
  const { offsetHeight, scrollWidth, clientWidth } = text;
  text.remove();
  return offsetHeight > select.offsetHeight + 1 || scrollWidth > clientWidth + 1;
}`;

/** Elements that larger text gets out of the window, or cut off by a container that does not scroll. */
function cutOffAt(percent: number, page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`{
    document.documentElement.style.fontSize = "${percent}%";
    const found = (${CUT_OFF})();
    document.documentElement.style.fontSize = "";
    found;
  }`);
}

/** Elements outside the window or cut off by their container, except those that scroll or end in an ellipsis. */
const CUT_OFF = `() => [...document.querySelectorAll("#app *:not(summary)")].filter((element) => {
    if (!element.checkVisibility() || element.closest(".visually-hidden, thead, .find, .skip, .chart, svg")) return false;
    const { left, right } = element.getBoundingClientRect();
    if (element.tagName === "SELECT" && (${CHOICE_IS_CUT_OFF})(element)) return true;
    for (let place = element; place !== document.body; place = place.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(place);
      if (["auto", "scroll"].includes(overflowX) || textOverflow === "ellipsis") return false;
      const container = place.getBoundingClientRect();
      if (overflowX !== "visible" && (container.width < 1 || right > container.right + 1)) return true;
    }
    const isTooWide = element.tagName !== "INPUT" && element.clientWidth > 0;
    return left < -1 || right > innerWidth + 1 || (isTooWide && element.scrollWidth > element.clientWidth + 1);
  }).map((element) => element.tagName + "." + element.className + ": " + element.textContent.slice(0, 30))`;
