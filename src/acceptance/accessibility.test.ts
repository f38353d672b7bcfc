import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { addLocalAccount } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { faultsOf } from "./testing/axe.ts";
import { openWindow, PATIENCE_MS } from "./testing/chromium.ts";
import { show } from "./testing/dashboard.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";
import { addViews } from "./testing/views.ts";

const { test, describe, beforeAll, vitrine, browser, ada, open, share } = await browserStories(() =>
  startDomainsServer({ "max-user-sites": "3" }),
);

let newcomer: string;
let operator: string;

beforeAll(async () => {
  newcomer = (await vitrine.signUp("newcomer")).token;
  const { user, token } = await vitrine.signUp("olivia");
  operator = token;
  await vitrine.store.users.setOperator(user.id, true);
  await addLocalAccount(vitrine, "grace");
  for (const redirects of ["", "/a /b 999\n"]) {
    await vitrine.deploy(ada, await zipOf({ "index.html": redirects, _redirects: redirects }), { site: "open" });
  }
  await addViews(vitrine, "open");
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "closed", access: "private" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "stopped" });
  await vitrine.store.sites.setFrozen((await vitrine.store.sites.find("stopped"))?.id ?? 0, {
    at: 0,
    reason: "unpaid",
  });
  const json = { provider_login: "grace" };
  await vitrine.call("POST", "/sites/closed/access/readers", { token: ada, json });
  await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: "open" } });
  await vitrine.claim(ada, "open", "www.example.com");
  await addFailedWebhook("open");
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

interface Sight {
  readonly name: string;
  readonly path: string;
  /** Defaults to ada. */
  readonly whose?: "nobody" | "newcomer" | "operator";
  /** What must be visible before the page is checked. */
  readonly shows: string;
  open?(page: Page): Promise<void>;
}

/** Dialogs and menus that a button opens are in accessibility-dialogs.test.ts. */
const SIGHTS: readonly Sight[] = [
  { name: "the sign-in page", path: "/sign-in", whose: "nobody", shows: "Sign in" },
  { name: "the code page", path: "/device", shows: "Code shown on your device" },
  {
    name: "the approval of a device",
    path: "/device",
    shows: "Code shown on your device",
    async open(page) {
      const started = await page.request.post("/auth/device", { data: { client_name: "an agent" } });
      const { verification_uri_complete } = (await started.json()) as { verification_uri_complete: string };
      await page.goto(verification_uri_complete);
      await page.getByRole("radio", { name: "Make previews" }).check();
    },
  },
  { name: "no site yet", path: "/", whose: "newcomer", shows: "Drop a folder or a ZIP here" },
  { name: "the sites", path: "/", shows: "closed.localhost" },
  { name: "the overview", path: "/dashboard/sites/open", shows: "First deployment" },
  { name: "the history", path: "/dashboard/sites/open/deployments", shows: "First deployment" },
  {
    name: "an explanation",
    path: "/dashboard/sites/open/explain",
    shows: "Examples",
    async open(page) {
      await page.getByLabel("URL or path").fill("https://open.localhost/nowhere?a=1");
      await page.getByRole("button", { name: "Explain", exact: true }).click();
      await page.getByText("must-revalidate").waitFor();
    },
  },
  { name: "the visits", path: "/dashboard/sites/open/analytics", shows: "Bot views" },
  { name: "the readers", path: "/dashboard/sites/closed/settings", shows: "grace" },
  { name: "the domains", path: "/dashboard/sites/open/settings/domains", shows: "Verify ownership" },
  {
    name: "the tokens, and a new publisher",
    path: "/dashboard/sites/open/settings/tokens",
    shows: "Never used",
    async open(page) {
      await page.getByRole("button", { name: "Add publisher" }).click();
      await page.getByText("Workflow file").first().waitFor();
    },
  },
  {
    name: "the shares",
    path: "/dashboard/sites/closed/settings/shares",
    shows: "No shares yet",
    async open(page) {
      await page.getByLabel("Label").fill("Client");
      await page.getByRole("button", { name: "Create share" }).click();
      await page.getByRole("button", { name: "QR code" }).click();
      await page.getByRole("img", { name: "QR code of the link" }).waitFor();
    },
  },
  { name: "the activity", path: "/dashboard/sites/open/activity", shows: "Added the domain" },
  {
    name: "the webhooks",
    path: "/dashboard/sites/open/settings/webhooks",
    shows: "Disable",
    async open(page) {
      await page.getByText("Deliveries to https://hooks.example.org/").click();
      await page.getByText("responded with 500").waitFor();
    },
  },
  { name: "the retention", path: "/dashboard/sites/open/settings/retention", shows: "All deployments are kept." },
  { name: "a frozen site", path: "/dashboard/sites/stopped", shows: ": unpaid." },
  { name: "the account", path: "/dashboard/account", shows: "3 of 3 used" },
  { name: "the agents", path: "/dashboard/account/agents", shows: "No agent is connected." },
  { name: "the sessions", path: "/dashboard/account/sessions", shows: "This browser" },
  { name: "the command line", path: "/dashboard/account/command-line", shows: "Sign in and deploy" },
  { name: "the console", path: "/dashboard/console", whose: "operator", shows: "checks passed" },
  { name: "the people", path: "/dashboard/console/people", whose: "operator", shows: "Last active" },
  {
    name: "an invitation",
    path: "/dashboard/console/people",
    whose: "operator",
    shows: "Last active",
    async open(page) {
      await page.getByRole("button", { name: "Invite", exact: true }).click();
      await page.getByLabel("Login", { exact: true }).fill("guest");
      await page.getByRole("button", { name: "Create link", exact: true }).click();
      await page.getByText("guest is invited").waitFor();
    },
  },
  { name: "all sites", path: "/dashboard/console/sites", whose: "operator", shows: "Views, 30 days" },
  { name: "the jobs", path: "/dashboard/console/jobs", whose: "operator", shows: "Sweep unused content" },
  { name: "the backups", path: "/dashboard/console/backups", whose: "operator", shows: "No backups yet" },
  { name: "the audit log", path: "/dashboard/console/audit", whose: "operator", shows: "Published deployment 1" },
  { name: "the server's settings", path: "/dashboard/console/settings", whose: "operator", shows: "--max-user-sites" },
  {
    name: "selected sites",
    path: "/",
    shows: "closed.localhost",
    async open(page) {
      for (const key of ["j", "x"]) await page.keyboard.press(key);
      await page.getByText("1 selected").waitFor();
    },
  },
  {
    name: "making a site public",
    path: "/dashboard/sites/closed/settings",
    shows: "grace",
    async open(page) {
      await page.getByRole("radio", { name: "Public" }).click();
      await page.getByRole("dialog", { name: "Make closed public?" }).waitFor();
    },
  },
  { name: "a page that is not there", path: "/dashboard/nowhere", shows: "Page not found" },
  { name: "a site that is not there", path: "/dashboard/sites/nowhere", shows: "You have no site named" },
];

/** Returns a page of a user that all tests share, because opening a window takes longer than the check. */
async function pageOf(whose: Sight["whose"]): Promise<Page> {
  if (whose === "nobody") return (await open(null)).page;
  return (await share(whose && { newcomer, operator }[whose])).page;
}

function isOfDashboard(path: string): boolean {
  return /^\/($|\?|dashboard\/)/.test(path);
}

test.each(SIGHTS.map((sight) => [sight.name, sight] as const))(
  "%s passes axe in both sizes and themes, and fits a phone",
  async (_name, sight) => {
    const page = await pageOf(sight.whose);
    await page.setViewportSize({ width: 1440, height: 844 });
    await (isOfDashboard(sight.path) ? show(page, sight.path) : page.goto(sight.path));
    await page.getByText(sight.shows).first().waitFor();
    await sight.open?.(page);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate<number>("document.querySelector('main').scrollWidth")).toBeLessThanOrEqual(360);
  },
);

test("the page of the one-time set-up link passes axe", async () => {
  await using fresh = await startTestServer();
  const { page } = await openWindow(browser, fresh);
  await page.goto((await fresh.openSetupLink()) ?? "");
  expect(await faultsOf(page)).toEqual([]);
});

describe("the API reference", () => {
  test("passes axe with one entry of each kind unfolded", async () => {
    const { page } = await open(null);
    await page.goto("/docs");
    for (const id of ["postDeploy", "postSitesByNameWebhooks", "schema-DomainClaimResponse"]) {
      await page.evaluate(`document.getElementById("${id}").parentElement.open = true`);
    }
    // The other hundred entries and links have the same structure, and axe takes ten seconds for them.
    await page.evaluate(
      "for (const same of document.querySelectorAll('details:not([open]) ~ details:not([open]), nav li ~ li')) same.remove()",
    );
    expect(await faultsOf(page)).toEqual([]);
  });

  test("fits a phone with everything unfolded", async () => {
    const { page } = await open(null);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto("/docs");
    await page.evaluate("for (const entry of document.querySelectorAll('details')) entry.open = true");
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(360);
  });

  test("loads nothing from other hosts and needs no script", async () => {
    const context = await browser.newContext({ baseURL: vitrine.baseUrl, javaScriptEnabled: false });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).origin));
    await page.goto("/docs");
    await page.locator("summary", { hasText: "Deploy a site" }).click();
    await page.locator("#postDeploy").getByText("X-Service-Access").waitFor();
    expect(new Set(requested)).toEqual(new Set([vitrine.baseUrl]));
    await context.close();
  });

  test("unfolds the operation or schema in the URL's fragment", async () => {
    const { page } = await open(null);
    await page.goto("/docs#postTokens");
    const entry = page.locator("#postTokens");
    await entry.getByText("Deployment token").first().waitFor();
    await entry.getByRole("link", { name: "CreatedDeploymentTokenResponse" }).click();
    await page.locator("#schema-CreatedDeploymentTokenResponse").getByText("The secret; returned only here").waitFor();
  });

  test("uses the theme that was chosen in the dashboard", async () => {
    const { page, context } = await open(null);
    await page.emulateMedia({ colorScheme: "light" });
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await page.goto("/docs");
    const light = await ground();
    await context.addInitScript("localStorage.setItem('vitrine.theme', 'dark')");
    await page.reload();
    expect(await ground()).not.toBe(light);
  });

  test("works if the browser blocks storage", async () => {
    const { page, errors } = await open(null);
    await page.addInitScript(NO_STORAGE);
    await page.goto("/docs");
    await page.getByText("Deploy and sites").first().waitFor();
    expect(errors).toEqual([]);
  });
});

/** Makes access to storage fail, as in a browser that blocks all cookies. */
const NO_STORAGE = `for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("Access is denied", "SecurityError"); } });
}`;

test("a preview is published and rolled back with the keyboard alone", async () => {
  const headers = { "X-Service-Alias": "pr-1" };
  await vitrine.deploy(ada, await zipOf({ "index.html": "preview" }), { site: "open", headers });
  const { page } = await open();
  await page.goto("/");
  await page.getByText("closed.localhost").waitFor();
  await page.keyboard.press("Tab");
  await untilFocused(page, "Skip to content");
  await page.getByRole("link", { name: "open", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("First deployment").waitFor();
  await untilFocused(page, "open");
  await page.getByRole("link", { name: "Deployments", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("pr-1").first().waitFor();

  await page.getByRole("button", { name: "Publish deployment 3" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Publish #3?" }).waitFor();
  await untilFocused(page, "Publish #3");
  await page.keyboard.press("Enter");
  await page.getByText("Deployment 3 is live.").waitFor();
  await page.locator("tr.is-live").getByText("#3").waitFor();

  // In the menu: the arrow keys move, and Escape closes it.
  const menu = page.getByRole("button", { name: "Actions for #2", exact: true });
  await menu.focus();
  await page.keyboard.press("Enter");
  await untilFocused(page, "Roll back to this…");
  await page.keyboard.press("ArrowDown");
  await untilFocused(page, "Visit");
  await page.keyboard.press("Escape");
  await page.getByRole("menuitem").first().waitFor({ state: "hidden" });
  await menu.press("Enter");
  await untilFocused(page, "Roll back to this…");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Roll back to #2?" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Deployment 2 is live.").waitFor();

  await page.getByRole("button", { name: "Deploy", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await untilFocused(page, "Deploy");
});

/** The focus moves in the next turn of the event loop after the page has changed. */
async function untilFocused(page: Page, text: string): Promise<void> {
  // Does not use waitForFunction, because polling is forbidden by the page's Content Security Policy.
  const focused = () => page.evaluate<string>("document.activeElement.textContent.trim()");
  while ((await focused()) !== text) await page.waitForTimeout(20);
}
