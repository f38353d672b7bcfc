import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { addLocalAccount } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { dragPaths, dropFiles, dropOnLoad, hold, type Window, watchFor } from "./testing/chromium.ts";
import { goLive, liveRow, openSettings, reloadUntil, show, shownNumbers, withoutEvents } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const stories = await browserStories();
const { test, vitrine, ada } = stories;

/** A window without the event stream, so that only its own requests load data. */
async function open(token?: string): Promise<Window> {
  return withoutStream(await stories.open(token));
}

/** The one of all stories that leave nothing in its pages. */
async function share(): Promise<Window> {
  return withoutStream(await stories.share());
}

async function withoutStream(window: Window): Promise<Window> {
  await withoutEvents(window.page);
  return window;
}

test("of two quick choices the last one wins", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "wavering" });
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

test("what is opened right after the palette was closed stays open", async () => {
  const { page } = await share();
  await show(page, "/");
  await page.getByRole("button", { name: /^Search or jump to/ }).click();
  await page.getByRole("dialog", { name: "Search or jump to" }).waitFor();
  await page.evaluate(`
    document.querySelector("dialog[open]").close();
    [...document.querySelectorAll("button")].find((button) => button.textContent === "Keyboard shortcuts").click();
  `);
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.waitFor();
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "hidden" });
});

test("a deployment starts once, and Cancel stops it from the first moment on", async () => {
  const { page } = await share();
  await show(page, "/");
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") sent += 1;
  });
  const dialog = page.getByRole("dialog");
  await dropFiles(page, { "hasty.zip": await zipOf({ "index.html": "x" }) });
  await dialog.getByLabel("Site name").waitFor();
  const asking = await hold(page, "**/capabilities/hosting", "GET");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await asking.arrived;
  await dialog.getByText("Preparing").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Deploy" }).waitFor();
  await asking.release();
  await page.unroute("**/capabilities/hosting");
  // Both clicks happen before the page is drawn again.
  await dialog.locator("form").evaluate((form) => {
    const submit = () => form.dispatchEvent(new Event("submit", { cancelable: true }));
    submit();
    submit();
  });
  await page.getByRole("dialog", { name: "hasty is live" }).waitFor();
  expect(sent).toBe(1);
});

test("a dropped folder is read in a dialog on the same page, and replaced by the next one", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "roomy" });
  const folder = join(await mkdtemp(join(tmpdir(), "vitrine-drop-")), "Large");
  for (const name of ["index.html", "a.txt", "b/c.txt"]) await Bun.write(join(folder, name), name);
  const { page, errors } = await open();
  await page.goto("/dashboard/sites/roomy");
  await page.getByText("First deployment").waitFor();
  await page.evaluate(SLOW_FOLDERS);
  const dialog = page.getByRole("dialog", { name: "Deploy to roomy" });
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

  const sending = await hold(page, "**/deploy", "POST");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await sending.arrived;
  await dropFiles(page, { "index.html": "later" });
  await page.getByText("Another deployment is running.").waitFor();
  await sending.release();
  await page.getByRole("dialog", { name: "roomy is live" }).waitFor();
  await dropFiles(page, { "index.html": "later" });
  await dialog.getByText("1 file").waitFor();
  expect(errors).toEqual([]);
  await rm(dirname(folder), { recursive: true });
});

test("files that are dropped as soon as a page appears are accepted", async () => {
  const { page } = await open();
  await dropOnLoad(page, { "early.zip": await zipOf({ "index.html": "x" }) });
  await page.goto("/");
  expect(await page.getByRole("dialog").getByLabel("Site name").inputValue()).toBe("early");
});

test("files that are dropped after the session ended are kept until the next sign-in", async () => {
  const { page, context } = await open();
  await page.goto("/", { waitUntil: "networkidle" });
  const cookies = await context.cookies();
  // A page reloads its data at any moment. Without the cookie, that would lead to the sign-in page before the drop.
  const dropped = Promise.withResolvers<void>();
  await page.route("**/*", (route) => dropped.promise.then(() => route.fallback()));
  await context.clearCookies();
  await dropFiles(page, { "patient.zip": await zipOf({ "index.html": "x" }) });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Site name").waitFor();
  dropped.resolve();
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await dialog.getByText("Your session has ended. Sign in in another tab").waitFor();
  await context.addCookies(cookies);
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "patient is live" }).waitFor();
});

test("nothing can be dropped on a site that is frozen or belongs to another user", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/elsewhere");
  await page.getByText("You have no site named").waitFor();
  await dropFiles(page, { "index.html": "x" });
  await page.getByText("You have no site named elsewhere.", { exact: true }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("a response that was on its way does not undo a later change", async () => {
  const { token } = await vitrine.signUp("quick");
  await addLocalAccount(vitrine, "grace");
  await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "shelf", access: "private" });
  const { page } = await open(token);
  const asking = await hold(page, "**/sites/shelf/access/readers", "GET", { answered: true });
  await page.goto("/dashboard/sites/shelf/access");
  await asking.arrived;
  await page.getByLabel("Login").fill("grace");
  await page.getByRole("button", { name: "Add reader" }).click();
  await page.getByText("grace can now open shelf.").waitFor();
  const again = page.waitForResponse("**/sites/shelf/access/readers");
  await asking.release();
  await again;
  await page.getByRole("button", { name: "Remove grace" }).dblclick();
  await page.getByText("grace can no longer open shelf.").waitFor();
  await page.getByText("No readers yet").waitFor();
  expect(await page.locator(".toast.bad").count()).toBe(0);
});

test("data that cannot be reloaded stays, with a warning", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "aged" });
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

test("a token that arrives after its tab was left is shown on return, until it is dismissed", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "minting" });
  const { page } = await share();
  await show(page, "/dashboard/sites/minting/tokens");
  const minting = await hold(page, "**/tokens", "POST", { answered: true });
  await page.getByRole("button", { name: "Create token" }).click();
  await minting.arrived;
  await page.getByRole("link", { name: "Analytics" }).click();
  await minting.release();
  // The range in the URL stays, also after a click on the current tab.
  const range = (days: number) => page.getByRole("radio", { name: `${days} days` });
  await range(7).check();
  expect(new URL(page.url()).search).toBe("?days=7");
  await page.getByRole("link", { name: "Analytics" }).click();
  await page.waitForURL(/analytics$/);
  expect(await range(30).isChecked()).toBe(true);
  await page.goBack();
  await page.waitForURL(/days=7$/);
  expect(await range(7).isChecked()).toBe(true);

  await openSettings(page, "CI access");
  await page.getByText(/^vtd_/).waitFor();
  await page.getByRole("button", { name: "Done, I've copied it" }).click();
  await page.getByText(/^vtd_/).waitFor({ state: "detached" });
});

test("a token is shown and revoked while the list of tokens is still loading", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "unlisted" });
  const { page } = await share();
  await show(page, "/dashboard/sites/unlisted/tokens");
  await page.getByText("No tokens yet").waitFor();
  const listing = await hold(page, "**/tokens", "GET");
  await page.getByLabel("Name").fill("CI");
  await page.getByRole("button", { name: "Create token" }).click();
  await listing.arrived;
  await page.getByText(/^vtd_/).waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("");
  await listing.release();
  await page.getByRole("button", { name: "Revoke CI" }).click();
  await page.unrouteAll();

  await hold(page, "**/tokens", "GET");
  await page.getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("CI was revoked.").waitFor();
  await page.getByText("No tokens yet").waitFor();
  await page.getByText(/^vtd_/).waitFor({ state: "detached" });
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("a history has no gap while its older part is reloading", async () => {
  const archive = await zipOf({ "index.html": "x" });
  for (let version = 1; version <= 22; version++) await vitrine.deploy(ada, archive, { site: "gapless" });
  const { page } = await share();
  await show(page, "/dashboard/sites/gapless/deployments");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await page.getByText("#1", { exact: true }).waitFor();
  const shown = () => shownNumbers(page);
  const numbers = (newest: number) => Array.from({ length: newest }, (_, index) => `#${newest - index}`);
  const asking = await hold(page, "**/deployments?*before=*", "GET");
  await dropFiles(page, { "more.zip": archive });
  await page.getByRole("dialog").getByRole("button", { name: "Deploy" }).click();
  await asking.arrived;
  await liveRow(page).getByText("#23", { exact: true }).waitFor();
  expect(await shown()).toEqual(numbers(23));
  await asking.release();
  await page.getByText("#1", { exact: true }).waitFor();
  expect(await shown()).toEqual(numbers(23));
});

test("a history shows a roll-back that happened while its older part was loading", async () => {
  const archive = await zipOf({ "index.html": "x" });
  for (let version = 1; version <= 22; version++) await vitrine.deploy(ada, archive, { site: "outrun" });
  const { page } = await share();
  await show(page, "/dashboard/sites/outrun/deployments");
  const live = (number: number) => liveRow(page).getByText(`#${number}`, { exact: true }).waitFor();
  const asking = await hold(page, "**/deployments?*before=*", "GET");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await asking.arrived;
  await goLive(page, 20);
  await live(20);
  await asking.release();
  await page.getByText("#1", { exact: true }).waitFor();
  await live(20);
  await page.unrouteAll();

  const again = await hold(page, "**/deployments?*before=*", "GET");
  await goLive(page, 18);
  await again.arrived;
  await live(18);
  await goLive(page, 21);
  await page.getByText("Deployment 21 is live.").waitFor();
  await live(21);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await live(18);
  await again.release();
  expect((await vitrine.store.sites.find("outrun"))?.activeDeployment).toBe(18);
});

test("without the Clipboard API, copying keeps the focus and reports a failure", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "copied" });
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
