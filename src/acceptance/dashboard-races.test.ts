import { expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { dragPaths, dropFiles, dropOnLoad, hold, type Window, watchFor } from "./testing/chromium.ts";
import { openSettings, reloadUntil, show, withoutEvents } from "./testing/dashboard.ts";
import { scratchFolder } from "./testing/executable.ts";
import { browserStories } from "./testing/stories.ts";

// What other windows, the network and a quick hand do to the dashboard. Which response wins, and what stays of drafts
// and secrets, is tested where the code is: in `public/api` and `public/parts`.

const stories = await browserStories();
const { test, vitrine, ada, open } = stories;

/** The shared window without the event stream, so that changes elsewhere do not arrive by themselves. */
async function share(): Promise<Window> {
  const window = await stories.share();
  await withoutEvents(window.page);
  return window;
}

async function deploy(site: string, text = site): Promise<void> {
  await vitrine.deploy(ada, await zipOf({ "index.html": text }), { site });
}

test("a visible page follows changes elsewhere, and a hidden one requests nothing until it is visible", async () => {
  await deploy("returned");
  const { page } = await open();
  // With them, the page would not need to ask.
  await withoutEvents(page);
  await page.clock.install();
  await page.goto("/dashboard/sites/returned");
  const deployment = (number: number) => page.getByRole("table").getByText(`#${number}`, { exact: true }).waitFor();
  await deployment(1);
  // The cards send their requests after the table is drawn.
  await page.getByText("No views yet.").waitFor();
  await page.getByRole("link", { name: "No errors" }).waitFor();
  await page.waitForLoadState("networkidle");
  await setHidden(page, true);
  await deploy("returned", "two");
  const requested: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "fetch") requested.push(request.url());
  });
  await page.clock.fastForward("01:00");
  expect(requested).toEqual([]);
  await setHidden(page, false);
  await deployment(2);
  await deploy("returned", "three");
  await page.clock.fastForward("00:16");
  await deployment(3);
});

function setHidden(page: Page, hidden: boolean): Promise<unknown> {
  return page.evaluate(`{
    Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }`);
}

test("a change by others shows a toast, a tinted row, and waits above a scrolled list", async () => {
  for (const site of ["live-a", "live-b"]) await deploy(site);
  const { page } = await open();
  // Rows are tinted that arrive within five seconds after their event, which a busy machine may exceed.
  await page.addInitScript("performance.now = () => 0");
  // Earlier changes are not announced.
  const connected = page.waitForResponse("**/events");
  await page.goto("/");
  await connected;
  await page.getByRole("link", { name: "live-b" }).waitFor();
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
  await show(page, "/dashboard/sites/live-one/deployments");
  await page.getByRole("link", { name: "#1", exact: true }).waitFor();
  tinted = await watchFor(page, "tr.arrived", "#2");
  await deploy("live-one", "two");
  await page.getByText("Deployment 2 of live-one is live.").waitFor();
  await tinted();
});

test("a lost connection is reported once, and the report disappears once the server is back", async () => {
  await deploy("steady");
  const { page, context } = await open();
  await page.clock.install();
  await page.goto("/dashboard/sites/steady");
  await page.getByText("First deployment").waitFor();
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

test("data that cannot be reloaded stay, with a warning", async () => {
  await deploy("aged");
  const { page } = await share();
  await show(page, "/dashboard/sites/aged");
  await page.getByText("First deployment").waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  const sick = { status: 503, json: { detail: "service unavailable" } };
  await page.route("**/sites/aged/deployments?*", (route) => route.fulfill(sick));
  await page.getByRole("link", { name: "Deployments" }).click();
  await page.getByText("Could not refresh the deployments. Service unavailable").waitFor();
  await page.getByText("First deployment").waitFor();
  await page.unroute("**/sites/aged/deployments?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Could not refresh").waitFor({ state: "detached" });

  // The site is deleted in another window.
  await vitrine.call("DELETE", "/sites/aged", { token: ada });
  await reloadUntil(page, page.getByText("You have no site named"));
});

test("a refused change shows the error, and what was changed elsewhere", async () => {
  await deploy("revoked");
  const made = await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: "revoked", name: "CI" } });
  const { id } = (await made.json()) as { id: string };
  const { page } = await share();
  await show(page, "/dashboard/sites/revoked/tokens");
  await page.getByRole("button", { name: "Revoke CI" }).click();
  await vitrine.call("DELETE", `/tokens/${id}`, { token: ada });
  await page.getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("No tokens yet").waitFor();
  await page.locator(".toast.bad").getByText("deployment token does not exist").waitFor();
});

test("of two quick choices the last one wins", async () => {
  await deploy("wavering");
  const { page } = await share();
  await show(page, "/dashboard/sites/wavering/access");
  const protecting = await hold(page, "**/sites/wavering/access", "PUT");
  await page.getByText("Private", { exact: true }).click();
  await protecting.arrived;
  await page.getByText("Public", { exact: true }).click();
  await page.getByRole("button", { name: "Make public" }).click();
  await protecting.release();
  await page.getByText("wavering is now public.").waitFor();
  expect(await page.getByRole("radio", { name: "Public" }).isChecked()).toBe(true);
  expect((await vitrine.store.sites.find("wavering"))?.private).toBe(false);
});

test("a deletion cannot be closed while it runs, removes what was typed, and leaves the user on the page where they are", async () => {
  await deploy("doomed");
  const { page } = await share();
  await show(page, "/dashboard/sites/doomed/settings/tokens");
  await page.getByLabel("Name").fill("typed");
  await openSettings(page, "Danger zone");
  const deleting = await hold(page, "**/sites/doomed", "DELETE");
  await page.getByRole("button", { name: "Delete doomed" }).click();
  await page.getByLabel("Type doomed to confirm").fill("doomed");
  await page.getByRole("button", { name: "Delete site" }).click();
  await deleting.arrived;
  await page.getByRole("button", { name: "Cancel", disabled: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor();
  await show(page, "/dashboard/account");
  await page.getByText("Signed in as").waitFor();
  await deleting.release();
  await page.getByText("doomed was deleted.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/account");
  expect(await page.evaluate<string[]>("Object.keys(sessionStorage)")).toEqual([]);
});

test("a deployment starts once, and Cancel stops it from the first moment on", async () => {
  const { page } = await share();
  await show(page, "/");
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/deploy")) sent += 1;
  });
  const dialog = page.getByRole("dialog");
  await dropFiles(page, { "hasty.zip": await zipOf({ "index.html": "x" }) });
  // Until then the dialog itself may be asking for the same.
  await dialog.getByLabel("Private").waitFor();
  const asking = await hold(page, "**/capabilities/hosting", "GET");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await asking.arrived;
  await dialog.getByText("Preparing").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Deploy" }).waitFor();
  await asking.release();
  // Both clicks happen before the page is drawn again.
  await dialog.locator("form").evaluate((form) => {
    const submit = () => form.dispatchEvent(new Event("submit", { cancelable: true }));
    submit();
    submit();
  });
  await page.getByRole("dialog", { name: "hasty is live" }).waitFor();
  expect(sent).toBe(1);
});

test("files are taken as soon as the page appears, replace one another, and stay when the session ends", async () => {
  await deploy("roomy");
  using scratch = scratchFolder();
  const folder = join(scratch.path, "Large");
  for (const name of ["index.html", "a.txt", "b/c.txt"]) await Bun.write(join(folder, name), name);
  const { page, context } = await open();
  await withoutEvents(page);
  await dropOnLoad(page, { "early.zip": await zipOf({ "index.html": "x" }) });
  await page.goto("/dashboard/sites/roomy");
  const dialog = page.getByRole("dialog", { name: "Deploy to roomy" });
  await dialog.getByText("early.zip").waitFor();

  await page.evaluate(SLOW_FOLDERS);
  await dragPaths(page, [folder]);
  await dialog.getByText("Reading files").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await dragPaths(page, [folder]);
  await dialog.getByText("Reading files").waitFor();
  await page.evaluate("readOn()");
  await dialog.getByText("3 files").waitFor();
  await dropFiles(page, { "index.html": "new", "a.txt": "a" });
  await dialog.getByText("2 files").waitFor();

  const cookies = await context.cookies();
  await context.clearCookies();
  await reloadUntil(page, page.getByText("Could not refresh").first());
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await dialog.getByText("Your session has ended. Sign in in another tab").waitFor();
  await context.addCookies(cookies);
  const sending = await hold(page, "**/deploy", "POST");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await sending.arrived;
  await dropFiles(page, { "index.html": "later" });
  await page.getByText("Another deployment is running.").waitFor();
  await sending.release();
  await page.getByRole("dialog", { name: "roomy is live" }).waitFor();
  await dropFiles(page, { "index.html": "later" });
  await dialog.getByText("1 file").waitFor();
});

test("without the Clipboard API, copying keeps the focus and reports a failure", async () => {
  await deploy("copied");
  const { page } = await open();
  await page.goto("/dashboard/sites/copied");
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  const copy = page.getByTitle("Copy the URL");
  await copy.waitFor();
  const copied = await watchFor(page, ".copy", "Copied");
  await copy.press("Enter");
  await copied();
  expect(await copy.evaluate((button) => button.matches(":focus"))).toBe(true);
  await page.evaluate("document.execCommand = () => false");
  await copy.press("Enter");
  await page.getByText("The browser did not allow copying.").waitFor();
  await copy.getByText("Copy the URL").waitFor();
});

/** Runs in the page. Reading a dropped folder stops until `readOn` is called. */
const SLOW_FOLDERS = `{
  const { webkitGetAsEntry } = DataTransferItem.prototype;
  const until = new Promise((resolve) => { globalThis.readOn = resolve; });
  DataTransferItem.prototype.webkitGetAsEntry = function () {
    const entry = webkitGetAsEntry.call(this);
    const reader = entry?.isDirectory && entry.createReader();
    if (reader) entry.createReader = () => ({
      readEntries: (...callbacks) => until.then(() => reader.readEntries(...callbacks)),
    });
    return entry;
  };
}`;
