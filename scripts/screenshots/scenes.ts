import type { Page } from "playwright-core";
import { dropFiles } from "../../src/acceptance/testing/chromium.ts";
import type { Demo } from "./demo.ts";

/** A screenshot: the page, and the steps before it is taken. */
export interface Scene {
  readonly name: string;
  /** Defaults to ada. The fresh server has no users. */
  readonly whose?: "nobody" | "newcomer";
  path(demo: Demo): string | Promise<string>;
  prepare?(page: Page): Promise<void>;
}

const at = (name: string, path: string, more: Omit<Scene, "name" | "path"> = {}): Scene => ({
  name,
  path: () => path,
  ...more,
});

const SITE = "/dashboard/sites/atlas-docs";

export const SCENES: readonly Scene[] = [
  at("sites", "/"),
  at("sites-selected", "/", { prepare: selectSites }),
  at("palette", "/dashboard/sites/atlas-docs", { prepare: openPalette }),
  at("keys", "/", { prepare: showKeys }),
  at("first-site", "/", { whose: "newcomer" }),
  at("new-site", "/", { prepare: dropFolder }),
  at("new-preview", SITE, { prepare: dropPreview }),
  at("site", SITE),
  at("deployments", `${SITE}/deployments`),
  at("deployment", `${SITE}/deployments?deployment=7`, { prepare: showChanges }),
  at("publish", `${SITE}/deployments`, { prepare: askToPublish }),
  at("delete-deployment", `${SITE}/deployments`, { prepare: askToDelete }),
  at("files", `${SITE}/files?deployment=7`, { prepare: openFolder }),
  at("report", `${SITE}/report?deployment=8`, { prepare: readReport }),
  at("analytics", `${SITE}/analytics`),
  at("explain", `${SITE}/explain?path=${encodeURIComponent("/manual/start?from=mail")}`, { prepare: seeResponse }),
  at("access", "/dashboard/sites/handbook/settings"),
  at("domains", `${SITE}/settings/domains`),
  at("tokens", `${SITE}/settings/tokens`, { prepare: createToken }),
  at("publisher", `${SITE}/settings/tokens`, { prepare: addPublisher }),
  at("shares", `${SITE}/settings/shares`, { prepare: createShare }),
  at("webhooks", `${SITE}/settings/webhooks`, { prepare: showDeliveries }),
  at("activity", `${SITE}/activity`),
  at("retention", "/dashboard/sites/portfolio/settings/retention"),
  at("danger", `${SITE}/settings/danger`),
  at("console", "/dashboard/console", { prepare: drawCharts }),
  at("console-people", "/dashboard/console/people"),
  at("console-invite", "/dashboard/console/people", { prepare: invitePerson }),
  at("console-person", "/dashboard/console/people", { prepare: managePerson }),
  at("console-sites", "/dashboard/console/sites"),
  at("console-site", "/dashboard/console/sites", { prepare: manageSite }),
  at("console-jobs", "/dashboard/console/jobs"),
  at("console-backups", "/dashboard/console/backups"),
  at("console-audit", "/dashboard/console/audit"),
  at("console-settings", "/dashboard/console/settings"),
  at("account", "/dashboard/account"),
  at("sessions", "/dashboard/account/sessions"),
  at("command-line", "/dashboard/account/command-line", { prepare: showLines }),
  at("sign-in", "/sign-in", { whose: "nobody" }),
  { name: "invitation", whose: "nobody", path: invite },
  at("menu", SITE, { prepare: openMenu }),
  at("outage", "/", { prepare: loseServer }),
  at("no-such-page", "/dashboard/nothing"),
  at("visitor-not-found", "http://no-such-site.vitrine.example/", { whose: "nobody" }),
  at("visitor-private", "http://handbook.vitrine.example/", { whose: "nobody" }),
  at("visitor-expired", "http://draft--field-notes.vitrine.example/", { whose: "nobody" }),
  at("visitor-unpublished", "http://spring-2027.vitrine.example/", { whose: "nobody" }),
  { name: "device", path: (demo) => startDevice(demo, {}) },
  { name: "consent", path: (demo) => startDevice(demo, { scope: "preview site:atlas-docs site:handbook" }) },
  { name: "frozen", path: freezeSite },
  { name: "visitor-frozen", whose: "nobody", path: visitFrozenSite },
  { name: "set-up", whose: "nobody", path: async ({ fresh }) => (await fresh.openSetupLink()) ?? "" },
];

async function showLines(page: Page): Promise<void> {
  await page.getByText("Sign in and deploy").waitFor();
}

async function readReport(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Summary" }).waitFor();
}

async function selectSites(page: Page): Promise<void> {
  await page.getByText("handbook").first().waitFor();
  for (const key of ["j", "x", "j", "j", "x"]) await page.keyboard.press(key);
  await page.getByText("2 selected").waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.getByText("atlas-docs").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("d");
}

async function showKeys(page: Page): Promise<void> {
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
}

/** Charts outside the window of a phone are drawn when they come near it. */
async function drawCharts(page: Page): Promise<void> {
  await page.locator(".metric-plot canvas").nth(3).waitFor();
}

async function invitePerson(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByLabel("Login", { exact: true }).fill("marek");
  await page.getByRole("button", { name: "Create link", exact: true }).click();
  await page.getByText("marek is invited").waitFor();
}

async function managePerson(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Manage margaret", exact: true }).click();
  await page.getByRole("dialog").getByText("End all").waitFor();
}

async function manageSite(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Manage portfolio", exact: true }).click();
  await page.getByRole("dialog").getByText("Transfer to").waitFor();
}

async function openMenu(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Account: ada", exact: true }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
}

/** The page keeps what it has loaded. */
async function loseServer(page: Page): Promise<void> {
  await page.route("**/*", (route) => route.abort());
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.locator(".strip").waitFor();
}

async function dropFolder(page: Page): Promise<void> {
  await dropFiles(page, {
    "index.html": "x".repeat(48_000),
    "style.css": "y".repeat(9000),
    "owl.jpg": "z".repeat(310_000),
  });
  await page.getByLabel("Site name").fill("winter-2026");
}

async function dropPreview(page: Page): Promise<void> {
  await dropFiles(page, { "index.html": "x".repeat(48_000), "style.css": "y".repeat(9000) });
  await page.getByLabel("Message").fill("Try the new contents page");
  await page.getByLabel("As a preview").check();
  await page.getByLabel("Alias").fill("contents");
}

async function showChanges(page: Page): Promise<void> {
  await page.getByRole("dialog").getByText("changelog.html").waitFor();
}

async function askToPublish(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Actions for #8" }).click();
  await page.getByRole("menuitem", { name: "Publish…" }).click();
  await page.getByText("Live now").waitFor();
}

async function askToDelete(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Actions for #4" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog", { name: "Delete deployment 4?" }).waitFor();
}

async function openFolder(page: Page): Promise<void> {
  await page.locator(".file.folder").first().click();
  await page.locator(".files .files .file").first().waitFor();
}

async function seeResponse(page: Page): Promise<void> {
  await page.getByText("Matched rule").waitFor();
}

async function addPublisher(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Add publisher" }).click();
  await page.getByLabel("Repository").fill("atlas/docs");
}

async function createShare(page: Page): Promise<void> {
  await page.getByLabel("Label").fill("Translators");
  await page.getByRole("button", { name: "Create share" }).click();
  await page.getByRole("button", { name: "QR code" }).click();
  await page.getByRole("img", { name: "QR code of the link" }).waitFor();
}

async function createToken(page: Page): Promise<void> {
  await page.getByLabel("Name").fill("Forgejo");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/^vtd_/).waitFor();
}

async function showDeliveries(page: Page): Promise<void> {
  await page.getByText("Deliveries to https://chat.example.org/hooks/atlas").click();
  await page.getByText("status 204").first().waitFor();
}

/** Must run last of ada's scenes, because the list of sites would show it too. */
async function freezeSite({ server: { store, clock } }: Demo): Promise<string> {
  const site = await store.sites.find("launch-2027");
  await store.sites.setFrozen(site?.id ?? 0, {
    at: clock.now(),
    reason: "a report of a broken agreement is looked into",
  });
  return "/dashboard/sites/launch-2027";
}

async function visitFrozenSite(demo: Demo): Promise<string> {
  await freezeSite(demo);
  return "http://launch-2027.vitrine.example/";
}

async function invite({ server, token }: Demo): Promise<string> {
  const json = { login: "marek", name: "Marek Vale" };
  const response = await server.call("POST", "/admin/users", { token, json });
  return new URL(((await response.json()) as { url: string }).url).pathname;
}

async function startDevice({ server }: Demo, requested: object): Promise<string> {
  const json = { client_name: "vitrine on workbench", ...requested };
  const response = await server.call("POST", "/auth/device", { json });
  const { verification_uri_complete } = (await response.json()) as { verification_uri_complete: string };
  const { pathname, search } = new URL(verification_uri_complete);
  return pathname + search;
}
