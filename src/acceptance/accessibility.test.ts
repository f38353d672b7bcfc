import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { addLocalAccount, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { faultsOf, faultsOnPhone } from "./testing/axe.ts";
import { unroute } from "./testing/chromium.ts";
import { PHONE, show } from "./testing/dashboard.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { type Opened, PLACES } from "./testing/places.ts";
import { browserStories } from "./testing/stories.ts";
import { addViews } from "./testing/views.ts";

/** The page of the one-time link, which exists only while there is no account. */
let setUpPage = "";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories(async () => {
  const server = await startDomainsServer({ "max-user-sites": "5" });
  const link = (await server.openSetupLink()) ?? "";
  setUpPage = await (await server.call("GET", new URL(link).pathname)).text();
  return server;
});

/** The session of olivia, an operator with three sites, and with another session. */
let olivia: string;

beforeAll(async () => {
  const { store, clock } = vitrine;
  const { id: userId } = await addLocalAccount(vitrine, "olivia");
  await store.users.setOperator(userId, true);
  await startSession({ store, clock, secrets: systemSecrets }, { userId, clientName: "Safari", address: null });
  await addLocalAccount(vitrine, "grace");
  olivia = (await signIn(vitrine, "olivia")).cookies().get("vitrine") ?? "";
  for (const redirects of ["", "/a /b 999\n"]) {
    await vitrine.deploy(olivia, await zipOf({ "index.html": redirects, _redirects: redirects }), { site: "open" });
  }
  await vitrine.deploy(olivia, await zipOf({ "index.html": "x" }), { site: "closed", access: "private" });
  await vitrine.deploy(olivia, await zipOf({ "index.html": "x" }), { site: "stopped" });
  const stopped = (await store.sites.find("stopped"))?.id ?? 0;
  await store.sites.setFrozen(stopped, { at: 0, reason: "unpaid" });
  await addViews(vitrine, "open");
  await addFailedWebhook("open");
  await vitrine.claim(olivia, "open", "www.example.com");
  const json = (body: object) => ({ token: olivia, json: body });
  const publisher = { provider: "github", repository: "ada/open", ref: "refs/heads/main", permission: "publish" };
  await vitrine.call("PUT", "/sites/open/tags", json({ tags: ["docs"] }));
  await vitrine.call("PUT", "/sites/open/aliases/staging", json({ deployment_number: 1 }));
  await vitrine.call("POST", "/sites/open/publishers", json(publisher));
  await vitrine.call("POST", "/tokens", json({ site_name: "open", name: "Nightly" }));
  await vitrine.call("POST", "/sites/closed/access/readers", json({ provider_login: "grace" }));
  await vitrine.call("POST", "/sites/closed/shares", json({ label: "Client", kind: "link", expires_in: "1d" }));
  await vitrine.call("POST", "/admin/backups", json({}));
});

/** A webhook with a delivery that failed. */
async function addFailedWebhook(siteName: string): Promise<void> {
  const { sites, webhooks } = vitrine.store;
  const { id: siteId } = (await sites.find(siteName)) as { id: number };
  const facts = { url: "https://hooks.example.org/", events: null, secret: "whsec_AAAA", createdAt: 0 };
  await webhooks.add({ id: "hook", siteId, ...facts }, 1);
  const at = vitrine.clock.now();
  const { id } = await webhooks.notify("hook", { type: "ping", data: {} }, at + 60_000);
  const pace = { slowResponses: 0, restsUntil: null };
  const verdict = { status: "failed", nextAttemptAt: null, failingSince: at, disabledReason: null, ...pace } as const;
  const attempt = { at, statusCode: 500, error: null, duration: 84 };
  await webhooks.record(id, attempt, { ...verdict, error: "responded with 500" });
}

test.each(PLACES.map((place) => [place.name, place] as const))(
  "%s and what opens there pass axe, work by keyboard, and fit a phone",
  async (_name, { path, shows, opens = [], fill }) => {
    const { page } = await share(olivia);
    await show(page, path);
    await page.getByText(shows).first().waitFor();
    for (const opened of opens) await tryByKeyboard(page, opened);
    await fill?.(page);
    expect(await faultsOf(page)).toEqual([]);
    expect(await faultsOnPhone(page)).toEqual([]);
  },
);

/** Opens a dialog or menu, which takes the focus, closes with Escape, and returns the focus to its button. */
async function tryByKeyboard(page: Page, opened: Opened): Promise<void> {
  // Some buttons are disabled until their list has loaded.
  const opener = page.getByRole("button", { name: opened.by[0] as string, exact: true, disabled: false }).first();
  const place = await openByKeyboard(page, opener, opened);
  await place.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  expect(await faultsOf(page, "dialog[open], .menu:popover-open")).toEqual([]);
  // The browser lets the focus of a modal dialog not leave it.
  if (opened.role === "dialog") expect(await place.evaluate((dialog) => dialog.matches(":modal"))).toBe(true);
  await page.keyboard.press("Escape");
  await place.waitFor({ state: "hidden" });
  await opener.and(page.locator(":focus")).waitFor();
}

/** Returns the open dialog or menu, which has the focus. */
async function openByKeyboard(page: Page, opener: Locator, { role, name, by }: Opened): Promise<Locator> {
  await opener.press("Enter");
  for (const item of by.slice(1)) {
    await page.locator(".menu:popover-open :focus").waitFor();
    await page.getByRole("menuitem", { name: item, exact: true }).press("Enter");
  }
  const place = page.getByRole(role, { name, exact: true });
  // Of a dialog that is still loading, the whole.
  await place
    .locator(":focus")
    .or(place.and(page.locator(":focus")))
    .first()
    .waitFor();
  return place;
}

test("the first link leads past the navigation", async () => {
  const { page } = await share(olivia);
  await show(page, "/");
  const first = page.locator("a, button").first();
  expect(await first.textContent()).toBe("Skip to content");
  await first.press("Enter");
  await page.keyboard.press("Tab");
  await page.locator("main :focus").waitFor();
});

const SICK = { status: 503, json: { detail: "service unavailable" } };

/** States that are seen rarely, each with what leads to it. */
const STATES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async "no site yet"(page) {
    await page.route("**/sites", (route) => route.fulfill({ json: [] }));
    await show(page, "/");
    await page.getByText("Drop a folder or a ZIP here").waitFor();
  },
  async "a page that cannot be loaded"(page) {
    // Of another site, the window may have the deployments already.
    await vitrine.deploy(olivia, await zipOf({ "index.html": "x" }), { site: "unseen" });
    await page.route("**/sites/unseen/deployments?**", (route) => route.fulfill(SICK));
    await show(page, "/dashboard/sites/unseen/deployments");
    await page.getByText("Could not load the deployments").waitFor();
  },
  async "messages about a change and a refusal"(page) {
    await show(page, "/dashboard/sites/open/settings/webhooks");
    await page.getByRole("button", { name: /^Disable / }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.route("**/sites/open/webhooks/*", (route) => route.fulfill(SICK));
    await page.getByRole("button", { name: /^Enable / }).click();
    await page.locator(".toast.bad").waitFor();
  },
  async "a folder over the page"(page) {
    await show(page, "/");
    await page.getByText("closed.localhost").waitFor();
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "index.html"));
      document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await page.getByText("Drop to create a site").waitFor();
  },
  async "a palette without a match"(page) {
    await show(page, "/");
    await page.getByText("closed.localhost").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("nothing");
    await page.getByText("No results for").waitFor();
  },
};

test.each(Object.entries(STATES))("%s passes axe and fits a phone", async (_name, enter) => {
  const { page } = await share(olivia);
  await enter(page);
  expect(await faultsOnPhone(page)).toEqual([]);
});

test("the dialog of a new site passes axe with a wrong name, when it is refused, and when the site is live", async () => {
  const { page } = await share(olivia);
  await show(page, "/");
  await page.getByRole("button", { name: "New site" }).click();
  const file = { name: "index.html", mimeType: "text/html", buffer: Buffer.from("<h1>new</h1>") };
  await page.getByLabel("Choose a ZIP or HTML file").setInputFiles(file);
  await page.getByLabel("Site name").fill("-");
  await page.locator(".field .error").waitFor();
  expect(await faultsOnPhone(page)).toEqual([]);
  await page.getByLabel("Site name").fill("fresh");
  await page.route("**/deploy", (route) => route.fulfill(SICK));
  const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true });
  await deploy.click();
  await page.getByRole("alert").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await unroute(page);
  await deploy.click();
  await page.getByRole("link", { name: "Manage site" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test("the pages outside of the dashboard pass axe and fit a phone", async () => {
  const { page, context } = await open(null);
  const check = async (shown: Locator) => {
    await shown.waitFor();
    expect([page.url(), await faultsOnPhone(page)]).toEqual([page.url(), []]);
  };
  await page.route("**/setup/code", (route) => route.fulfill({ contentType: "text/html", body: setUpPage }));
  await page.goto("/setup/code");
  await check(page.getByRole("heading", { name: "Set up this server" }));
  await page.goto("/sign-in");
  await page.getByLabel("Login").fill("nobody");
  await page.getByLabel("Password").fill("not it at all");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await check(page.getByRole("alert"));
  await page.goto(vitrine.siteUrl("nowhere"));
  await check(page.getByText("Site not found"));

  const become = (token: string) => context.addCookies([{ name: "vitrine", value: token, url: vitrine.baseUrl }]);
  await become(ada);
  await page.goto(vitrine.siteUrl("closed"));
  await check(page.getByText("You do not have access"));
  await become(olivia);
  await page.goto("/device");
  await check(page.getByLabel("Code shown on your device"));
  const started = await page.request.post("/auth/device", { data: { client_name: "an agent" } });
  const { verification_uri_complete } = (await started.json()) as { verification_uri_complete: string };
  await page.goto(verification_uri_complete);
  await page.getByRole("radio", { name: "Make previews" }).check();
  await check(page.getByRole("button", { name: "Approve" }));
});

test("the API reference unfolds what a link names, has the chosen theme, passes axe, and fits a phone", async () => {
  const { page, context, errors } = await open(null);
  await page.emulateMedia({ colorScheme: "light" });
  await context.addInitScript("localStorage.setItem('vitrine.theme', 'dark')");
  await page.goto("/docs#postTokens");
  const entry = page.locator("#postTokens");
  await entry.getByText("Deployment token").first().waitFor();
  await entry.getByRole("link", { name: "CreatedDeploymentTokenResponse" }).click();
  await page.locator("#schema-CreatedDeploymentTokenResponse").getByText("The secret; returned only here").waitFor();
  expect(await page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");

  const unfold = (selector: string) =>
    page.evaluate(`for (const entry of document.querySelectorAll("${selector}")) entry.open = true`);
  await page.setViewportSize(PHONE);
  await unfold("details");
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(PHONE.width);
  // The other hundred entries and links have the same structure, and axe takes ten seconds for them.
  await page.evaluate(KEEP_ONE_OF_EACH);
  expect(await faultsOnPhone(page)).toEqual([]);

  // A browser that blocks all cookies also blocks storage.
  await context.addInitScript(NO_STORAGE);
  await page.reload();
  expect(errors).toEqual([]);
});

const KEEP_ONE_OF_EACH = `{
  const kept = ["postDeploy", "postSitesByNameWebhooks", "schema-DomainClaimResponse"];
  for (const entry of document.querySelectorAll("details")) {
    entry.open = kept.some((id) => entry.contains(document.getElementById(id)));
  }
  for (const same of document.querySelectorAll("details:not([open]) ~ details:not([open]), nav li ~ li")) same.remove();
}`;

const NO_STORAGE = `for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("Access is denied", "SecurityError"); } });
}`;
