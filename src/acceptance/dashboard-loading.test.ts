import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { applyRetention } from "../domain/deployments/retention.ts";
import { DAY } from "../domain/timestamp.ts";
import { zipOf } from "./testing/archives.ts";
import { hold, watchFor } from "./testing/chromium.ts";
import {
  failUntilRetried,
  goLive,
  liveRow,
  reloadUntil,
  show,
  shownNumbers,
  withoutEvents,
} from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";
import { addViews } from "./testing/views.ts";

const { test, vitrine, ada, open, share } = await browserStories();

async function deploy(site: string, text = site): Promise<void> {
  await vitrine.deploy(ada, await zipOf({ "index.html": text }), { site });
}

/** Records the paths that the page requests from now on. */
function watch(page: Page): string[] {
  const requested: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "fetch") requested.push(new URL(request.url()).pathname);
  });
  return requested;
}

test("changes made elsewhere appear on the open list and on the open site page", async () => {
  await deploy("watched");
  const { page } = await open();
  await page.clock.install();
  await page.goto("/");
  await page.getByRole("link", { name: "watched" }).waitFor();
  await deploy("arrived");
  await page.clock.fastForward("00:16");
  await page.getByRole("link", { name: "arrived" }).click();
  await page.getByRole("table").getByText("#1", { exact: true }).waitFor();
  await deploy("arrived", "two");
  await page.clock.fastForward("00:16");
  await page.getByRole("table").getByText("#2", { exact: true }).waitFor();
});

test("a page appears whose script arrives between its first drawing and the effects of that", async () => {
  await deploy("prompt");
  const { page } = await open();
  await page.clock.install();
  const loading = await hold(page, "**/assets/site-*.js", "GET");
  const script = page.waitForRequest("**/assets/site-*.js");
  await page.goto("/");
  await page.getByRole("link", { name: "prompt" }).waitFor();
  // The list requests the script in advance.
  const url = JSON.stringify((await script).url());
  await loading.arrived;
  // Effects need a frame, and there is none while the clock is paused.
  await page.clock.pauseAt(Date.now() + DAY);
  await page.getByRole("link", { name: "prompt" }).click();
  await page.getByText("Loading the page").waitFor();
  await loading.release();
  await page.evaluate(`import(${url})`);
  await page.clock.resume();
  await page.getByRole("table").getByText("#1", { exact: true }).waitFor();
});

test("a change by others shows a toast, a tinted row, and waits above a scrolled list", async () => {
  const { page } = await open();
  // Rows are tinted that arrive within five seconds after their event, which a busy machine may exceed.
  await page.addInitScript("performance.now = () => 0");
  await showConnected(page, "/");
  await page.getByRole("link", { name: "watched" }).waitFor();
  let tinted = await watchFor(page, "tr.arrived", "live-one");
  await deploy("live-one");
  await page.getByText("live-one is a new site.").waitFor();
  await tinted();
  await page.setViewportSize({ width: 800, height: 200 });
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await deploy("live-two");
  await page.getByRole("button", { name: "1 new" }).click();
  await page.getByRole("link", { name: "live-two" }).waitFor();
  await page.getByRole("button", { name: "1 new" }).waitFor({ state: "detached" });
  await showConnected(page, "/dashboard/sites/live-one/deployments");
  await page.getByRole("link", { name: "#1", exact: true }).waitFor();
  tinted = await watchFor(page, "tr.arrived", "#2");
  await deploy("live-one", "two");
  await page.getByText("Deployment 2 of live-one is live.").waitFor();
  await tinted();
});

/** Loads a page, and waits for its connection to the events: it does not announce earlier ones. */
async function showConnected(page: Page, path: string): Promise<void> {
  const connected = page.waitForResponse("**/events");
  await page.goto(path);
  await connected;
}

test("a page reloads at once when its tab becomes visible, and requests nothing while it is hidden", async () => {
  await deploy("returned");
  const { page } = await open();
  await page.clock.install();
  await page.goto("/dashboard/sites/returned");
  await page.getByRole("table").getByText("#1", { exact: true }).waitFor();
  // The cards send their requests after the table is drawn.
  await page.getByText("No views yet.").waitFor();
  // Its event would arrive while the page becomes hidden.
  await page.getByRole("link", { name: "No errors" }).waitFor();
  await setHidden(page, true);
  await deploy("returned", "two");
  const requested = watch(page);
  await page.clock.fastForward("01:00");
  expect(requested).toEqual([]);
  await setHidden(page, false);
  await page.getByRole("table").getByText("#2", { exact: true }).waitFor();
  await deploy("returned", "three");
  await reloadUntil(page, page.getByRole("table").getByText("#3", { exact: true }));
});

function setHidden(page: Page, hidden: boolean): Promise<unknown> {
  return page.evaluate(`{
    Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }`);
}

test("a lost connection is reported once, and the report disappears once the server is back", async () => {
  await deploy("steady");
  const { page, context } = await open();
  await page.clock.install();
  // The code of a page is cached once the page was shown.
  await page.goto("/dashboard/sites/steady");
  await page.getByRole("heading", { name: "steady", exact: true }).waitFor();
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Account" }).click();
  await page.getByText("Signed in as").waitFor();
  await context.setOffline(true);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  const banner = page.getByText("The server cannot be reached.");
  await banner.waitFor();
  await page.getByText(/This data is from \d\d:\d\d\./).waitFor();
  await page.getByRole("link", { name: "Sites" }).first().click();
  await page.getByRole("heading", { name: "Sites", exact: true }).waitFor();
  expect(await banner.count()).toBe(1);
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.getByRole("link", { name: "steady" }).click();
  await page.getByRole("heading", { name: "steady", exact: true }).waitFor();
  await context.setOffline(false);
  await page.clock.fastForward("00:20");
  await banner.waitFor({ state: "detached" });
  await page.getByText("First deployment").waitFor();
});

test("the error page of a proxy counts as a lost connection", async () => {
  await deploy("proxied");
  const { page } = await open();
  const away = { status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" };
  await page.route("**/sites", (route) => route.fulfill(away));
  await page.goto("/");
  const banner = page.getByText("The server cannot be reached.");
  await banner.waitFor();
  await page.unroute("**/sites");
  // The page also retries by itself, perhaps before.
  const retried = page.getByRole("button", { name: "Retry now" }).click();
  await Promise.any([retried, banner.waitFor({ state: "detached" })]);
  await banner.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "proxied" }).waitFor();
});

test("a history takes one request, however many rows it has", async () => {
  for (let version = 1; version <= 4; version++) await deploy("frugal", `version ${version}`);
  const { page } = await open();
  const requested = watch(page);
  await page.goto("/dashboard/sites/frugal/deployments");
  await page.getByText("~1").first().waitFor();
  const ofSite = requested.filter((path) => path.startsWith("/sites/frugal/deployments"));
  expect(ofSite).toEqual(["/sites/frugal/deployments"]);
});

test("a one-time token is not lost if the session ends meanwhile", async () => {
  await deploy("minted");
  const { page, context } = await open();
  await page.goto("/dashboard/sites/minted/tokens");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/^vtd_/).waitFor();
  await context.clearCookies();
  await reloadUntil(page, page.getByText("Your session has ended.").first());
  await page.getByText(/^vtd_/).waitFor();
  await page.getByRole("button", { name: "Done, I've copied it" }).click();
  await reloadUntil(page, page.getByRole("heading", { name: "Sign in", exact: true }));
});

const SICK = { status: 503, json: { detail: "service unavailable" } };

async function deployTimes(site: string, times = 1): Promise<void> {
  for (let version = 1; version <= times; version++) {
    await vitrine.deploy(ada, await zipOf({ "index.html": `version ${version}` }), { site });
  }
}

test("a site's page that cannot be loaded shows an error and is retried", async () => {
  await deployTimes("nowhere");
  const { page } = await open();
  await failUntilRetried(page, "**/capabilities/hosting", SICK);
  await page.goto("/dashboard/sites/nowhere");
  await page.getByText("Could not load the URL. Service unavailable").waitFor();
  expect(await page.getByRole("button", { name: "Visit" }).getAttribute("aria-disabled")).toBe("true");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "Visit", exact: true }).waitFor();
});

test("changes that cannot be loaded are retried", async () => {
  await deployTimes("blank", 2);
  const { page } = await share();
  await page.route("**/changes", (route) => route.fulfill(SICK));
  await show(page, "/dashboard/sites/blank/deployments");
  await page.getByRole("link", { name: "#2", exact: true }).click();
  await page.getByRole("alert").getByText("Service unavailable").waitFor();
  await page.unroute("**/changes");
  await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
  await page.getByRole("dialog").getByText("index.html").waitFor();
});

test("a chart whose script does not load is replaced by the table", async () => {
  await deployTimes("uncharted");
  await addViews(vitrine, "uncharted");
  const { page, errors } = await open();
  await page.goto("/dashboard/sites/uncharted");
  await page.getByText("First deployment").waitFor();
  await page.route("**/assets/**", (route) => route.abort());
  await page.getByRole("link", { name: "Analytics" }).click();
  await page.getByText("Could not load the chart.").waitFor();
  expect(errors.filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
});

test("an account that cannot be loaded is retried", async () => {
  const { page } = await open();
  await failUntilRetried(page, "**/auth/me", SICK);
  await page.goto("/dashboard/account");
  await page.getByText("Could not load your account. Service unavailable").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Signed in as ada").waitFor();
});

test("a history stays complete if its older pages cannot be reloaded", async () => {
  await deployTimes("gapless", 22);
  const { page } = await open();
  await withoutEvents(page);
  await page.goto("/dashboard/sites/gapless/deployments");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await page.getByText("#1", { exact: true }).waitFor();
  await deployTimes("gapless");
  await page.route("**/deployments?*before=*", (route) => route.fulfill(SICK));
  await goLive(page, 20);
  await liveRow(page).getByText("#20", { exact: true }).waitFor();
  await page.getByText("Could not load older entries. Service unavailable").waitFor();
  /** Returns the deployments with the live one first. */
  const numbers = (live: number) => {
    const all = Array.from({ length: 23 }, (_, index) => 23 - index);
    return [live, ...all.filter((number) => number !== live)].map((number) => `#${number}`);
  };
  expect(await shownNumbers(page)).toEqual(numbers(20));
  await page.unroute("**/deployments?*before=*");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await page.getByText("Could not load older entries.").waitFor({ state: "detached" });
  expect(await shownNumbers(page)).toEqual(numbers(20));

  // It also appears with the next automatic reload.
  await page.route("**/deployments?*before=*", (route) => route.fulfill(SICK));
  await goLive(page, 21);
  await liveRow(page).getByText("#21", { exact: true }).waitFor();
  await page.getByText("Could not load older entries.").waitFor();
  await page.unroute("**/deployments?*before=*");
  await goLive(page, 22);
  await liveRow(page).getByText("#22", { exact: true }).waitFor();
  await page.getByText("Could not load older entries.").waitFor({ state: "detached" });
  expect(await shownNumbers(page)).toEqual(numbers(22));
});

// Last, because it advances the server's clock beyond the range of the visits page.
test("the oldest deployment that retention kept is not called the first", async () => {
  await deployTimes("thinned", 4);
  await vitrine.call("PUT", "/sites/thinned/retention", { token: ada, json: { keep_last: 2, keep_days: null } });
  vitrine.advance(8 * DAY);
  await applyRetention(vitrine, { last: null, days: null, graceMs: 0 }, "thinned");
  const { page } = await share();
  await show(page, "/dashboard/sites/thinned");
  await page.getByText("Previous deployment deleted").waitFor();
  expect(await page.getByText("First deployment").count()).toBe(0);
});
