import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { needing } from "../testing/needing.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { dragPaths, dropFiles, unroute, watchFor } from "./testing/chromium.ts";
import { chooseAction, liveRow, openSettings, show, shownNumbers, withoutEvents } from "./testing/dashboard.ts";
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
  for (const text of ["one", "two"]) await deploy("kept", { "index.html": text });
  await deploy("riddle", { "index.html": "x", _redirects: "/old topic=:t /new/:t 302" }, "private");
  for (const site of ["shared", "automated", "unwanted"]) await deploy(site, { "index.html": "hello" });
});

/** The heading of the list of sites. */
const sites = (page: Page) => page.getByRole("heading", { name: "Sites", exact: true });

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
  const folder = join(await mkdtemp(join(tmpdir(), "vitrine-drag-")), "Owl Notes");
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
  await rm(dirname(folder), { recursive: true });
});

test("a site that was created elsewhere meanwhile is not updated as a new one", async () => {
  const { page } = await share();
  await show(page, "/");
  // Else the dialog may know of the site before the button is pressed.
  await withoutEvents(page);
  await dropFiles(page, { "late.zip": await zipOf({ "index.html": "new" }) });
  const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy", disabled: false });
  await deploy.waitFor();
  await vitrine.deploy(ada, await zipOf({ "index.html": "old" }), { site: "late" });
  await deploy.click();
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

test("a deployment is pinned in the history, and a policy is set after a preview of its effect", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/kept");
  await chooseAction(page, 1, "Pin");
  await page.getByText("Deployment 1 is pinned.").waitFor();
  await page.getByText("Pinned", { exact: true }).waitFor();
  await chooseAction(page, 1, "Unpin");
  await page.getByText("Deployment 1 is unpinned.").waitFor();

  // Retention spares deployments that visitors may have open. This is the server's response a week later.
  await page.route(/\/retention\/preview\?/, (route) =>
    route.fulfill({ json: { deployments: [2, 3], bytes: 2_516_582 } }),
  );
  await openSettings(page, "Retention");
  await page.getByText("All deployments are kept.").waitFor();
  const grace = page.getByLabel("Grace period in days");
  expect(await grace.getAttribute("placeholder")).toBe("7 (server default)");
  await page.getByLabel("Deployments to keep").fill("none");
  await page.getByText("Enter whole numbers of 1 or more").waitFor();
  await page.getByLabel("Deployments to keep").fill("2");
  await grace.fill("30");
  await page.getByText("2 deployments will be deleted within an hour, freeing 2.4 MiB.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Set for this site.").waitFor();
  const { policy } = (await (await vitrine.call("GET", "/sites/kept/retention", { token: ada })).json()) as Kept;
  expect(policy).toEqual({ keep_last: 2, keep_days: null, grace_days: 30 });
  await page.getByText("With the server default: 2 deployments will be deleted").waitFor();
  await page.getByRole("button", { name: "Use server default" }).click();
  await page.getByText("This is the server default.").waitFor();
  expect(errors).toEqual([]);
});

interface Kept {
  readonly policy: unknown;
}

test("access: a refused change is not shown as done, a reader is added and removed, and public needs a confirmation", async () => {
  const { token: grace } = await vitrine.signUp("grace");
  const readable = async () =>
    (await (await vitrine.call("GET", "/shared-sites", { token: grace })).json()) as unknown[];
  const { page } = await share();
  await show(page, "/dashboard/sites/shared/access");
  await page.getByRole("radio", { name: "Public" }).waitFor();
  await page.route("**/sites/shared/access", (route) => route.abort());
  await page.getByText("Private", { exact: true }).click();
  await page.getByText("The server cannot be reached").waitFor();
  expect(await page.getByRole("radio", { name: "Public" }).isChecked()).toBe(true);
  await unroute(page);
  await page.getByText("Private", { exact: true }).click();
  await page.getByText("shared is now private.").waitFor();

  await page.getByLabel("Login").fill("nobody");
  await page.getByText("No user with this login is known here.").waitFor();
  await page.getByLabel("Login").fill("grace");
  await page.getByText("Found grace").waitFor();
  await page.getByRole("button", { name: "Add reader" }).click();
  await page.getByRole("button", { name: "Remove grace" }).waitFor();
  expect(await readable()).toMatchObject([{ name: "shared" }]);
  await page.getByRole("button", { name: "Remove grace" }).click();
  await page.getByText("grace can no longer open shared.").waitFor();
  expect(await readable()).toEqual([]);

  const choosePublic = () => page.getByText("Public", { exact: true }).click();
  const question = page.getByRole("dialog", { name: "Make shared public?" });
  await choosePublic();
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect(await page.getByRole("radio", { name: "Private" }).isChecked()).toBe(true);
  expect((await vitrine.store.sites.find("shared"))?.private).toBe(true);
  await choosePublic();
  await question.getByRole("button", { name: "Make public" }).click();
  await page.getByText("shared is now public.").waitFor();
  expect((await vitrine.store.sites.find("shared"))?.private).toBe(false);
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

needing("browser", "curl").test("a deployment token is shown once and works with curl", async () => {
  const { page, context } = await share();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await show(page, "/dashboard/sites/automated/tokens");
  await page.getByLabel("Name").fill("Nightly");
  await page.getByRole("button", { name: "Create token" }).click();
  const token = await page.getByText(/^vtd_/).textContent();
  const copied = await watchFor(page, ".copy", "Copied");
  await page.getByRole("button", { name: "Copy the token" }).click();
  await copied();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(token ?? "");

  const folder = await mkdtemp(join(tmpdir(), "vitrine-curl-"));
  await Bun.write(join(folder, "site.zip"), await zipOf({ "index.html": "by curl" }));
  const command = (await page.getByText("curl http").textContent()) ?? "";
  await Bun.$`sh -c ${command}`
    .cwd(folder)
    .env({ ...process.env, VITRINE_TOKEN: token ?? "" })
    .quiet();
  await rm(folder, { recursive: true });
  expect(await (await vitrine.visit("automated")).text()).toBe("by curl");

  await page.reload();
  await page.getByRole("button", { name: "Revoke Nightly" }).click();
  expect(await page.getByText(/^vtd_/).count()).toBe(0);
  await page.getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("Nightly was revoked.").waitFor();
  await page.getByText("No tokens yet").waitFor();
});

test("a site is deleted after its name was typed, and then has neither tabs nor an address", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/unwanted/settings/danger");
  await page.getByRole("button", { name: "Delete unwanted" }).click();
  const confirm = page.getByRole("button", { name: "Delete site" });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel("Type unwanted to confirm").fill("unwanted");
  await confirm.click();
  await page.getByText("unwanted was deleted.").waitFor();
  expect((await vitrine.visit("unwanted")).status).toBe(404);
  await show(page, "/dashboard/sites/unwanted/access");
  await page.getByRole("heading", { name: "Site not found", exact: true }).waitFor();
  expect(await page.getByRole("navigation", { name: "unwanted" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Visit" }).count()).toBe(0);
  await page.getByRole("link", { name: "Go to your sites" }).click();
  await sites(page).waitFor();
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
