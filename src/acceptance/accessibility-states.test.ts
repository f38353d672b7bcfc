import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { addLocalAccount, PASSWORD, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { faultsOf } from "./testing/axe.ts";
import { openWindow } from "./testing/chromium.ts";
import { show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, browser, ada, open, share } = await browserStories();

/** The shared window of ada, who has a site with a webhook, and one without a visit. */
let page: Page;
/** A window in which nobody is signed in. */
let stranger: Page;

beforeAll(async () => {
  await addLocalAccount(vitrine, "grace");
  for (const site of ["open", "quiet"]) await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site });
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "closed", access: "private" });
  await vitrine.call("POST", "/sites/open/webhooks", { token: ada, json: { url: "https://hooks.example.org/" } });
  stranger = (await openWindow(browser, vitrine)).page;
});

const OPEN = "/dashboard/sites/open";
const SICK = { status: 503, json: { detail: "service unavailable" } };
const FILE = { name: "index.html", mimeType: "text/html", buffer: Buffer.from("<h1>new</h1>") };

/** States that are seen rarely, each with what leads to it. */
const STATES: Readonly<Record<string, () => Promise<Page>>> = {
  async "a page that cannot be loaded"() {
    await page.route("**/sites/open/deployments?**", (route) => route.fulfill(SICK));
    await show(page, `${OPEN}/deployments`);
    await page.getByText("Could not load the deployments").waitFor();
    return page;
  },
  async "a page whose code cannot be loaded"() {
    await page.route("**/assets/account-*.js", (route) => route.abort());
    await page.goto("/dashboard/account");
    await page.getByText("This page could not be loaded").waitFor();
    return page;
  },
  async "a server that is away"() {
    const { page } = await open();
    await page.goto("/");
    await page.getByText("closed.localhost").waitFor();
    await page.route("**/*", (route) => route.abort());
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText("The server cannot be reached.").waitFor();
    return page;
  },
  async "messages about a change and a refusal"() {
    await show(page, `${OPEN}/settings/webhooks`);
    await page.getByRole("button", { name: /^Disable / }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.route("**/sites/open/webhooks/*", (route) => route.fulfill(SICK));
    await page.getByRole("button", { name: /^Enable / }).click();
    await page.locator(".toast.bad").waitFor();
    return page;
  },
  async "files under review"() {
    await show(page, "/");
    await page.getByRole("button", { name: "New site" }).click();
    await page.getByLabel("Choose a ZIP or HTML file").setInputFiles(FILE);
    await page.getByLabel("Site name").fill("-");
    await page.locator(".field .error").waitFor();
    return page;
  },
  async "a deployment that was refused"() {
    await show(page, OPEN);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByLabel("Choose a ZIP or HTML file").setInputFiles(FILE);
    await page.route("**/deploy", (route) => route.fulfill(SICK));
    await page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("alert").waitFor();
    return page;
  },
  async "a deployment that is done"() {
    await show(page, OPEN);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByLabel("Choose a ZIP or HTML file").setInputFiles(FILE);
    await page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("link", { name: "Manage site" }).waitFor();
    return page;
  },
  async "a folder over the page"() {
    await show(page, "/");
    await page.getByText("closed.localhost").waitFor();
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "index.html"));
      document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await page.getByText("Drop to create a site").waitFor();
    return page;
  },
  async "a search without a match"() {
    await show(page, "/");
    await page.getByLabel("Search sites").fill("nothing");
    await page.getByText("No sites match").waitFor();
    return page;
  },
  async "a palette without a match"() {
    await show(page, "/");
    await page.getByText("closed.localhost").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("nothing");
    await page.getByText("No results for").waitFor();
    return page;
  },
  async "a site without a visit"() {
    await show(page, "/dashboard/sites/quiet/analytics");
    await page.getByText("No views yet").waitFor();
    return page;
  },
  async "a site without webhooks"() {
    await show(page, "/dashboard/sites/quiet/settings/webhooks");
    await page.getByText("No webhooks yet").waitFor();
    return page;
  },
  async "the console for somebody else"() {
    await show(page, "/dashboard/console");
    await page.getByText("For operators").waitFor();
    return page;
  },
  async "a sign-in that failed"() {
    await stranger.goto("/sign-in");
    await stranger.getByLabel("Login").fill("grace");
    await stranger.getByLabel("Password").fill("not it at all");
    await stranger.getByRole("button", { name: "Sign in", exact: true }).click();
    await stranger.getByRole("alert").waitFor();
    return stranger;
  },
  async "an invalid link"() {
    await stranger.goto("/account/none");
    await stranger.getByRole("alert").waitFor();
    return stranger;
  },
  async "a private site for somebody who may not see it"() {
    await signIn(vitrine, "grace");
    await stranger.goto(vitrine.siteUrl("closed"));
    await stranger.getByLabel("Login").fill("grace");
    await stranger.getByLabel("Password").fill(PASSWORD);
    await stranger.getByRole("button", { name: "Sign in", exact: true }).click();
    await stranger.getByText("You do not have access").waitFor();
    return stranger;
  },
  async "the URL of no site"() {
    await stranger.goto(vitrine.siteUrl("nowhere"));
    await stranger.getByText("Site not found").waitFor();
    return stranger;
  },
};

test.each(Object.entries(STATES))("%s passes axe", async (_name, enter) => {
  page = (await share()).page;
  expect(await faultsOf(await enter())).toEqual([]);
});
