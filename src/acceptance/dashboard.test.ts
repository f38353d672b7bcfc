import { expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { dragPaths, dropFiles, hold } from "./testing/chromium.ts";
import { chooseAction, liveRow, show, shownNumbers, withoutEvents } from "./testing/dashboard.ts";
import { scratchFolder } from "./testing/executable.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories();

/** Before any window is open, because each deployment makes the pages of its owner reload. */
beforeAll(async () => {
  const deploy = async (site: string, files: Record<string, string>, access = "public") =>
    vitrine.deploy(ada, await zipOf(files), { site, access });
  await deploy("old-hand", { "index.html": "version 1", "one.txt": "1" });
  for (let version = 2; version <= 21; version++) {
    await deploy("old-hand", { "index.html": `version ${version}`, "all.txt": "" });
  }
  await deploy("riddle", { "index.html": "x", _redirects: "/old topic=:t /new/:t 302" }, "private");
  const listed = ["atlas", "blog", "choir", "gone-one", "gone-two"];
  for (const site of listed) await deploy(site, { "index.html": site, "favicon.svg": ICON });
});

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="red"/></svg>`;

/** The heading of the list of sites. */
const sites = (page: Page) => page.getByRole("heading", { name: "Sites", exact: true });
const names = (page: Page) => page.locator("tbody .row-link").allTextContents();
const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent.trim()");

test("a user signs in for the first time and publishes a site by drag and drop", async () => {
  await addLocalAccount(vitrine, "newcomer");
  const { page, errors } = await open(null);
  await page.goto("/");
  await page.getByLabel("Login").fill("newcomer");
  expect(new URL(page.url()).search, "the sign-in page leads back").toBe("?return_to=%2F");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Drop a folder or a ZIP here").waitFor();

  const archive = await zipOf({ "index.html": "<h1>My trip</h1>", _redirects: "/a /b 999\n" });
  await dropFiles(page, { "My Trip 2026.zip": archive });
  const dialog = page.getByRole("dialog", { name: "New site" });
  expect(await dialog.getByLabel("Site name").inputValue()).toBe("my-trip-2026");
  await dialog.getByRole("button", { name: "Deploy" }).click();

  const done = page.getByRole("dialog", { name: "my-trip-2026 is live" });
  await done.getByText("_redirects:1").waitFor();
  expect(await done.getByRole("link", { name: "Visit" }).getAttribute("href")).toBe(vitrine.siteUrl("my-trip-2026"));
  expect(await (await vitrine.visit("my-trip-2026")).text()).toBe("<h1>My trip</h1>");
  await done.getByRole("link", { name: "Manage site" }).click();
  await page.getByText("First deployment").waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/sites/my-trip-2026");
  expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
});

test("a dropped folder becomes a site with all of its files, and the same folder later updates it knowingly", async () => {
  using scratch = scratchFolder();
  const folder = join(scratch.path, "Owl Notes");
  await Bun.write(join(folder, "index.html"), "<h1>owls</h1>");
  await Bun.write(join(folder, "img", "barn", "owl.svg"), "<svg/>");
  await Bun.write(join(folder, ".git", "HEAD"), "ref");
  const { page, errors } = await share();
  await show(page, "/");
  await sites(page).waitFor();
  await dragPaths(page, [folder]);
  const dialog = page.getByRole("dialog", { name: "New site" });
  await dialog.getByText("2 files").waitFor();
  const name = page.getByLabel("Site name");
  expect(await name.inputValue()).toBe("owl-notes");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "owl-notes is live" }).waitFor();
  expect(await (await vitrine.visit("owl-notes", "/img/barn/owl.svg")).text()).toBe("<svg/>");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "New site" }).click();
  await page.getByLabel("Choose a folder").setInputFiles(folder);
  const update = page.getByRole("dialog", { name: "Update owl-notes" });
  await update.getByText("2 files").waitFor();
  await update.getByRole("status").getByText("You already have a site named owl-notes.").waitFor();
  expect(await update.getByRole("button", { name: "Deploy" }).count()).toBe(0);
  await name.fill("owl-notes-2");
  await dialog.getByRole("button", { name: "Deploy" }).waitFor();
  await name.fill("owl-notes");
  await update.getByRole("button", { name: "Update owl-notes" }).click();
  await page.getByRole("dialog", { name: "owl-notes is live" }).getByText("Deployment 2").waitFor();
  expect(errors).toEqual([]);
});

test("a site that was created elsewhere meanwhile is not updated as a new one", async () => {
  const { page } = await share();
  await show(page, "/");
  await withoutEvents(page);
  // The dialog must not know of the site before the button is pressed, also if the page reloads its list.
  const known = await page.evaluate(async () => (await fetch("/sites")).text());
  const pressed = Promise.withResolvers<void>();
  await page.route("**/sites", (route) => route.fulfill({ body: known, contentType: "application/json" }));
  await dropFiles(page, { "late.zip": await zipOf({ "index.html": "new" }) });
  const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy", disabled: false });
  await deploy.waitFor();
  await vitrine.deploy(ada, await zipOf({ "index.html": "old" }), { site: "late" });
  await page.route("**/capabilities/hosting", (route) => pressed.promise.then(() => route.fallback()));
  await deploy.click();
  await page.getByRole("progressbar").waitFor();
  await page.unroute("**/sites");
  pressed.resolve();
  await page.getByRole("alert").getByText("You have a site named late by now.").waitFor();
  await page.getByRole("button", { name: "Update late" }).waitFor();
  expect(await (await vitrine.visit("late")).text()).toBe("old");
});

test("input belongs to the dropped files: it survives a refusal and a reload, but not giving up", async () => {
  const { page } = await share();
  await show(page, "/");
  const dialog = page.getByRole("dialog", { name: "New site" });
  const name = dialog.getByLabel("Site name");
  const drop = (file: string) => dropFiles(page, { [file]: "no zip at all" });
  const giveUp = async () => {
    for (const button of ["Back", "Cancel"]) await dialog.getByRole("button", { name: button }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await page.getByRole("button", { name: "New site" }).click();
  await page.getByText("Drag a folder or a ZIP anywhere").waitFor();
  await drop("broken.zip");
  await name.fill("Ünï code!");
  await page.getByText("Choose another name: only a-z, 0-9 and - are allowed. Try uni-code.").waitFor();
  expect(await dialog.getByRole("button", { name: "Deploy" }).isDisabled()).toBe(true);
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await name.fill("renamed");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/^Archive is invalid/)
    .waitFor();
  expect(await name.inputValue()).toBe("renamed");
  await page.reload();
  await sites(page).waitFor();
  await drop("other.zip");
  expect(await name.inputValue()).toBe("other");
  await giveUp();
  await drop("broken.zip");
  expect(await name.inputValue()).toBe("renamed");
  await giveUp();
  await drop("broken.zip");
  expect(await name.inputValue()).toBe("broken");
});

test("an upload survives Escape and the end of the session", async () => {
  const { page } = await share();
  await show(page, "/");
  await sites(page).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/deploy", async (route) => {
    await held.promise;
    await route.fulfill({ status: 401, json: { detail: "authentication is required" } });
  });
  await dropFiles(page, { "stubborn.zip": await zipOf({ "index.html": "stubborn" }) });
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await dialog.getByText("Uploading").waitFor();
  await page.keyboard.press("Escape");
  await dialog.getByText("Uploading").waitFor();
  held.resolve();
  await dialog.getByText("Your session has ended. Sign in in another tab").waitFor();
  await page.unroute("**/deploy");
  // Loading the new deployment is a separate request.
  await page.route("**/sites/stubborn/deployments?*", (route) => route.abort());
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "stubborn is live" }).waitFor();
});

test("a long history: an old deployment is compared and rolled back to, which is undone, and a new one completes it", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/old-hand/deployments");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await chooseAction(page, 1, "Roll back to this…");
  const dialog = page.getByRole("dialog", { name: "Roll back to #1?" });
  await dialog.getByText("Live now").waitFor();
  await dialog.getByTitle("1 added, 1 changed, 1 removed").waitFor();
  await dialog.getByRole("button", { name: "Roll back to #1" }).click();
  await page.getByText("Deployment 1 is live.").waitFor();
  await liveRow(page).getByText("#1", { exact: true }).waitFor();
  expect(await (await vitrine.visit("old-hand")).text()).toBe("version 1");
  await page.getByRole("button", { name: "Undo" }).click();
  await liveRow(page).getByText("#21", { exact: true }).waitFor();
  expect(await (await vitrine.visit("old-hand")).text()).toBe("version 21");

  await dropFiles(page, { "more.zip": await zipOf({ "index.html": "version 22" }) });
  await page.getByRole("dialog").getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "old-hand is live" }).waitFor();
  await liveRow(page).getByText("#22", { exact: true }).waitFor();
  expect(await shownNumbers(page)).toEqual(Array.from({ length: 22 }, (_, index) => `#${22 - index}`));
  expect(errors).toEqual([]);
});

test("the explanation of an address shows the redirect with its rule, and goes when another is entered", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/riddle/explain");
  await page.getByLabel("URL or path").fill(`${vitrine.siteUrl("riddle")}/old?topic=owls#top`);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("Redirect to /new/owls").waitFor();
  await page.getByRole("row", { name: "location" }).getByText("_redirects, line 1").waitFor();
  await page.getByText("The site is private: only its readers get this, after signing in").waitFor();
  // The second response is that of the redirect's target.
  await page.getByRole("button", { name: /^Show steps/ }).click();
  await page.getByText("Not-found page").waitFor();
  await page.getByLabel("URL or path").fill("elsewhere");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("a URL begins with /, or with https:// and a host").waitFor();
  expect(await page.locator(".explanation").count()).toBe(0);
});

test("a chosen theme is kept on the sign-in page too", async () => {
  const { page } = await share();
  await show(page, "/dashboard/account");
  await page.emulateMedia({ colorScheme: "light" });
  const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const light = await ground();
  await page.getByRole("button", { name: "Account: ada" }).click();
  for (const theme of ["System", "Light"]) await page.getByRole("menuitem", { name: `Theme ${theme}` }).click();
  await page.getByRole("menuitem", { name: "Theme Dark" }).waitFor();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.goto("/sign-in");
  expect(await ground()).toBe(dark);
});

test("a site's icon is loaded from its host, and the palette finds what was typed before it had loaded", async () => {
  const { page, errors } = await open();
  const loading = await hold(page, "**/palette-*.js", "GET");
  await page.goto("/");
  const icon = page.getByRole("row", { name: "atlas" }).locator("img");
  await icon.waitFor();
  expect(await icon.getAttribute("src")).toBe(`${vitrine.siteUrl("atlas")}/favicon.svg`);
  await page.evaluate("Promise.all([...document.images].map((image) => image.decode()))");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("oir");
  await loading.arrived;
  await loading.release();
  const field = page.getByRole("combobox");
  expect(await field.inputValue()).toBe("oir");
  await page.getByRole("option", { name: "choir" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "choir", level: 1 }).waitFor();

  await page.keyboard.press("Control+k");
  await field.fill("domains");
  await page.getByRole("group", { name: "In choir" }).getByRole("option", { name: "Domains" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard/sites/choir/settings/domains");
  await field.waitFor({ state: "detached" });
  // Sent together, because the second key must follow within 1.5 seconds.
  await Promise.all([page.keyboard.press("g"), page.keyboard.press("s")]);
  await page.getByRole("table", { name: "Sites" }).waitFor();
  expect(errors).toEqual([]);
});

test("the list can be searched, selected and opened with the keyboard alone, and single keys can be disabled", async () => {
  const { page } = await share();
  await show(page, "/?sort=name");
  await page.getByRole("row", { name: "atlas" }).waitFor();
  // Without the addresses, the menus have no "Visit".
  await page.getByText("atlas.localhost").first().waitFor();
  await page.keyboard.press("j");
  expect(await focused(page)).toBe("atlas");
  for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
  expect(await focused(page)).toBe("blog");
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("1 selected").waitFor({ state: "detached" });

  await page.keyboard.press(".");
  await page.getByRole("menuitem", { name: "Visit" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("ArrowUp");
  expect(await focused(page)).toBe("Delete…");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "blog", exact: true }).and(page.locator(":focus")).waitFor();

  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByLabel("Single-letter shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  for (const key of ["n", "?", "j"]) await page.keyboard.press(key);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await focused(page)).not.toBe("choir");
  await page.evaluate("localStorage.clear()");
  await page.reload();
  await page.getByRole("row", { name: "atlas" }).waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("CHO?");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.keyboard.press("Backspace");
  await page.getByText("1 site", { exact: true }).waitFor();
  expect(await names(page)).toEqual(["choir"]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "choir", level: 1 }).waitFor();
});

test("several sites are tagged, filtered by tag, and deleted after one confirmation", async () => {
  const { page } = await share();
  await show(page, "/");
  for (const site of ["gone-one", "gone-two"]) await page.getByRole("checkbox", { name: `Select ${site}` }).check();
  await page.getByRole("button", { name: "Add tag" }).click();
  await page.getByRole("textbox", { name: /^Tags/ }).fill("Gone, 2019");
  await page.getByRole("button", { name: "Add tags" }).click();
  await page.getByText("gone-two and gone-one were tagged.").waitFor();
  await page.getByRole("button", { name: "Tags" }).click();
  await page.getByRole("menuitem", { name: "gone" }).click();
  await page.getByText("2 sites", { exact: true }).waitFor();
  expect((await names(page)).sort()).toEqual(["gone-one", "gone-two"]);

  // The filter limits the selection, which the bar says.
  await page.getByRole("searchbox").fill("two");
  await page.getByText("1 selected, 1 hidden").waitFor();
  await page.getByRole("searchbox").fill("");
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Change access" }).click();
  await page.getByRole("menuitem", { name: "Make private" }).click();
  const undo = page.locator(".toast", { hasText: "gone-two and gone-one were made private." });
  await undo.getByRole("button", { name: "Undo" }).click();
  await page.getByText("gone-two and gone-one were made public.").waitFor();

  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type delete 2 sites to confirm").fill("delete 2 sites");
  await page.getByRole("button", { name: "Delete 2 sites" }).click();
  await page.getByText("gone-two and gone-one were deleted.").waitFor();
  await page.getByRole("button", { name: "Show all sites" }).click();
  await page.getByRole("row", { name: "atlas" }).waitFor();
  expect((await names(page)).filter((name) => name.startsWith("gone"))).toEqual([]);
});

test("a list that cannot be loaded is retried, and of its 2,000 sites only those near the viewport are drawn", async () => {
  const { page } = await share();
  // Else the page may retry by itself before the button is pressed.
  await withoutEvents(page);
  const [site] = (await (await vitrine.call("GET", "/sites", { token: ada })).json()) as { name: string }[];
  const many = Array.from({ length: 2000 }, (_, index) => ({ ...site, name: `site-${index}` }));
  let isWell = false;
  await page.route("**/sites", (route) =>
    route.fulfill(isWell ? { json: many } : { contentType: "text/html", body: "<h1>Hotel</h1>" }),
  );
  await page.goto("/?sort=name");
  await page.getByRole("heading", { name: "Could not load your sites", exact: true }).waitFor();
  await page.getByText("The response did not come from the server").waitFor();
  isWell = true;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "site-0", exact: true }).waitFor();
  expect((await names(page)).length).toBeLessThan(100);
  const height = await page.evaluate<number>("document.documentElement.scrollHeight");
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await page.getByRole("link", { name: "site-1999", exact: true }).waitFor();
  expect((await names(page)).length).toBeLessThan(100);
  expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBe(height);
});
