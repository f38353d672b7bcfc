import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { watchFor } from "./testing/chromium.ts";
import { reloadUntil } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, vitrine, ada, open } = await browserStories();

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
  const { page } = await open();
  const away = { status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" };
  await page.route("**/sites", (route) => route.fulfill(away));
  await page.clock.install();
  await page.goto("/");
  const banner = page.getByText("The server cannot be reached.");
  await banner.waitFor();
  // Else the page may retry by itself before.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.unroute("**/sites");
  await page.getByRole("button", { name: "Retry now" }).click();
  await banner.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "steady" }).waitFor();
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
