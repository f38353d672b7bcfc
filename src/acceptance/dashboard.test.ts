import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { needing } from "../testing/needing.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { dragPaths, dropFiles, openWindow, watchFor } from "./testing/chromium.ts";
import {
  chooseAction,
  goLive,
  liveRow,
  openSettings,
  reloadUntil,
  show,
  shownNumbers,
  withoutEvents,
} from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { test, vitrine, browser, ada, open, share } = await browserStories();

test("the one-time set-up link creates the first account, signed in, and leads to the first site", async () => {
  await using fresh = await startTestServer();
  const { page } = await openWindow(browser, fresh);
  await page.goto("/");
  await page.getByText("This server has no accounts yet.").waitFor();
  await page.goto((await fresh.openSetupLink()) ?? "");
  await page.getByLabel("Login").fill("ada");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Drop a folder or a ZIP here").waitFor();
  await page.reload();
  await page.getByText("Drop a folder or a ZIP here").waitFor();
});

test("a user signs in for the first time and publishes a site by drag and drop", async () => {
  await addLocalAccount(vitrine, "newcomer");
  const { page, errors } = await open(null);
  await page.goto("/");
  await page.getByLabel("Login").fill("newcomer");
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
  const visit = await page.context().newPage();
  await visit.goto((await done.getByRole("link", { name: "Visit" }).getAttribute("href")) ?? "");
  expect(await visit.textContent("h1")).toBe("My trip");
  await done.getByRole("link", { name: "Manage site" }).click();
  await page.getByText("First deployment").waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/sites/my-trip-2026");
  expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
});

test("a folder that is dropped or chosen becomes a site with all of its files", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), "vitrine-drag-")), "Owl Notes");
  await Bun.write(join(folder, "index.html"), "<h1>owls</h1>");
  await Bun.write(join(folder, "img", "barn", "owl.svg"), "<svg/>");
  await Bun.write(join(folder, ".git", "HEAD"), "ref");
  const { page, errors } = await share();
  await show(page, "/");
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  await dragPaths(page, [folder]);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 files").waitFor();
  expect(await dialog.getByLabel("Site name").inputValue()).toBe("owl-notes");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "owl-notes is live" }).waitFor();
  expect(await (await vitrine.visit("owl-notes", "/img/barn/owl.svg")).text()).toBe("<svg/>");

  await page.goto("/");
  await page.getByRole("button", { name: "New site" }).click();
  await page.getByLabel("Choose a folder").setInputFiles(folder);
  await dialog.getByText("2 files").waitFor();
  await dialog.getByText("You already have a site named owl-notes.").waitFor();
  expect(errors).toEqual([]);
  await rm(dirname(folder), { recursive: true });
});

test("a chosen theme is kept, from the sign-in page on", async () => {
  const { page } = await open();
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/");
  await page.getByRole("button", { name: "Account: ada" }).press("Enter");
  await page.getByRole("menuitem", { name: "Account" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("t");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Theme Light" }).press("Enter");
  await page.getByRole("menuitem", { name: "Theme Dark" }).waitFor();
  const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const dark = await ground();
  await page.goto("/sign-in");
  expect(await ground()).toBe(dark);
  await page.evaluate("localStorage.clear()");
  await page.reload();
  expect(await ground()).not.toBe(dark);
});

test("loose files are packed in the browser and deployed to the open site", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "old" }), { site: "packed" });
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/packed");
  await page.getByText("First deployment").waitFor();
  await dropFiles(page, { "index.html": "<h1>new</h1>".repeat(1000), "photo.png": "not compressed again" });
  const dialog = page.getByRole("dialog", { name: "Deploy to packed" });
  await dialog.getByText("2 files").waitFor();
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "packed is live" }).getByRole("link", { name: "Manage site" }).click();
  await page.getByRole("link", { name: "Deployment 2", exact: true }).waitFor();
  expect(await (await vitrine.visit("packed")).text()).toBe("<h1>new</h1>".repeat(1000));
  expect(await (await vitrine.visit("packed", "/photo.png")).text()).toBe("not compressed again");
  expect(errors).toEqual([]);
});

test("a refused archive shows the reason, and the form keeps its input", async () => {
  const { page } = await share();
  await show(page, "/");
  await dropFiles(page, { "broken.zip": "no zip at all" });
  const dialog = page.getByRole("dialog", { name: "New site" });
  await dialog.getByLabel("Site name").fill("renamed");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  expect(await dialog.getByRole("alert").textContent()).toStartWith("Archive is invalid");
  expect(await dialog.getByLabel("Site name").inputValue()).toBe("renamed");
  await page.reload();
  await dropFiles(page, { "broken.zip": "no zip at all" });
  expect(await dialog.getByLabel("Site name").inputValue()).toBe("renamed");
});

test("a roll-back shows both deployments first, and can be undone with one click", async () => {
  for (const text of ["one", "two"]) {
    await vitrine.deploy(ada, await zipOf({ "index.html": text, [`${text}.txt`]: text }), { site: "rolled" });
  }
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/rolled");
  await page.getByRole("table").getByRole("link", { name: "#2", exact: true }).click();
  await page.getByRole("dialog", { name: "Deployment #2" }).getByText("two.txt").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await chooseAction(page, 1, "Roll back to this…");
  const dialog = page.getByRole("dialog", { name: "Roll back to #1?" });
  await dialog.getByText("Live now").waitFor();
  await dialog.getByTitle("1 added, 1 changed, 1 removed").waitFor();
  await dialog.getByRole("button", { name: "Roll back to #1" }).click();
  await page.getByText("Deployment 1 is live.").waitFor();
  expect(await (await vitrine.visit("rolled")).text()).toBe("one");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Deployment 2 is live.").waitFor();
  expect(await (await vitrine.visit("rolled")).text()).toBe("two");
  expect(errors).toEqual([]);
});

test("a deployment is pinned in the history, and a policy is set after a preview of its effect", async () => {
  const { token } = await vitrine.signUp("keeper");
  for (const text of ["one", "two", "three", "four", "five"]) {
    await vitrine.deploy(token, await zipOf({ "index.html": text }), { site: "kept" });
  }
  await vitrine.store.retention.setPolicy((await vitrine.store.sites.find("kept"))?.id ?? 0, { last: 4, days: null });
  const { page, errors } = await open(token);
  await page.goto("/dashboard/sites/kept");
  await chooseAction(page, 1, "Pin");
  await page.getByText("Deployment 1 is pinned.").waitFor();
  await page.getByText("Pinned", { exact: true }).waitFor();
  await chooseAction(page, 1, "Unpin");
  await page.getByText("Deployment 1 is unpinned.").waitFor();

  await openSettings(page, "Retention");
  await page.getByText("The newest 4 deployments are kept.").waitFor();
  await page.getByLabel("Deployments to keep").fill("none");
  await page
    .getByText("Enter whole numbers of 1 or more, for the grace period 0 to 90, or leave a field empty.")
    .waitFor();
  // Retention spares deployments that visitors may have open. This is the server's response a week later.
  for (const policy of ["keep_last=2", "default=true"]) {
    await page.route(`**/retention/preview?${policy}`, (route) =>
      route.fulfill({ json: { deployments: [2, 3], bytes: 2_516_582 } }),
    );
  }
  await page.getByLabel("Deployments to keep").fill("2");
  await page.getByText("2 deployments will be deleted within an hour, freeing 2.4 MiB.").waitFor();
  const grace = page.getByLabel("Grace period in days");
  expect(await grace.getAttribute("placeholder")).toBe("7 (server default)");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The newest 2 deployments are kept.").first().waitFor();
  await grace.fill("30");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Retention saved.").nth(1).waitFor();
  await page.reload();
  await grace.waitFor();
  expect(await grace.inputValue()).toBe("30");
  await page.getByText("With the server default: 2 deployments will be deleted").waitFor();
  await page.getByRole("button", { name: "Use server default" }).click();
  await page.getByText("This is the server default.").waitFor();
  expect(errors).toEqual([]);

  await page.goto("/dashboard/sites/kept/activity");
  await page.getByText("Reset retention to the server default").waitFor();
  await page.getByText("Pinned deployment 1").first().waitFor();
});

test("data that cannot be loaded shows an error and is retried", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "retried" });
  const { page } = await open();
  // Else the page may retry by itself before the button is pressed.
  await withoutEvents(page);
  await page.route("**/sites", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Hotel</h1>" }));
  await page.goto("/");
  await page.getByRole("heading", { name: "Could not load your sites", exact: true }).waitFor();
  await page.getByText("The response did not come from the server").waitFor();
  await page.unroute("**/sites");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("table", { name: "Sites" }).waitFor();
});

test("a user whose session ended signs in and comes back to the page", async () => {
  const { page, context } = await open();
  // Else a reload may lead to the sign-in page before the click.
  await withoutEvents(page);
  await page.goto("/dashboard/account/sessions");
  await page.getByText("This browser").waitFor();
  await context.clearCookies();
  await page.getByRole("link", { name: "Sites" }).first().click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe("?return_to=%2F");
});

test("a site is deleted after its name was typed", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "unwanted" });
  const { page } = await share();
  await show(page, "/dashboard/sites/unwanted/settings/danger");
  await page.getByRole("button", { name: "Delete unwanted" }).click();
  const confirm = page.getByRole("button", { name: "Delete site" });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel("Type unwanted to confirm").fill("unwanted");
  await confirm.click();
  await page.getByText("unwanted was deleted.").waitFor();
  expect((await vitrine.visit("unwanted")).status).toBe(404);
});

test("input for one folder does not appear for another", async () => {
  const { page } = await share();
  await show(page, "/");
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  const name = page.getByRole("dialog").getByLabel("Site name");
  const one = { "index.html": "one", "a.txt": "a" };
  await dropFiles(page, one);
  await name.fill("given-up");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await dropFiles(page, one);
  expect(await name.inputValue()).toBe("");

  await name.fill("somebody-elses");
  await page.reload();
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  await dropFiles(page, { "index.html": "two", "b.txt": "b" });
  expect(await name.inputValue()).toBe("");
  await page.reload();
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  await dropFiles(page, one);
  expect(await name.inputValue()).toBe("somebody-elses");
});

test("files that are dropped on the file dialog are accepted", async () => {
  const { page } = await share();
  await show(page, "/");
  await page.getByRole("button", { name: "New site" }).click();
  await page.getByText("Drag a folder or a ZIP anywhere").waitFor();
  await dropFiles(page, { "dropped.zip": await zipOf({ "index.html": "x" }) });
  expect(await page.getByRole("dialog").getByLabel("Site name").inputValue()).toBe("dropped");
});

test("an upload survives Escape and the end of the session", async () => {
  const { page } = await open();
  await page.goto("/");
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/deploy", async (route) => {
    await held.promise;
    await route.fulfill({ status: 401, json: { detail: "authentication is required" } });
  });
  await dropFiles(page, { "stubborn.zip": await zipOf({ "index.html": "stubborn" }) });
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await dialog.getByText("Uploading").waitFor();
  for (let press = 0; press < 5; press++) await page.keyboard.press("Escape");
  await dialog.getByText("Uploading").waitFor();
  held.resolve();
  await dialog.getByText("Your session has ended. Sign in in another tab").waitFor();
  await page.unroute("**/deploy");
  // Loading the new deployment is a separate request.
  await page.route("**/sites/stubborn/deployments?*", (route) => route.abort());
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "stubborn is live" }).waitFor();
});

test("a refused change of access is not shown as done", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "open" }), { site: "undecided" });
  const { page } = await share();
  await show(page, "/dashboard/sites/undecided/access");
  await page.getByRole("radio", { name: "Public" }).waitFor();
  await page.route("**/sites/undecided/access", (route) => route.abort());
  await page.getByText("Private", { exact: true }).click();
  await page.getByText("The server cannot be reached").waitFor();
  expect(await page.getByRole("radio", { name: "Public" }).isChecked()).toBe(true);
});

test("a long history stays complete after a roll-back to its beginning and a new deployment", async () => {
  const deploy = async (text: string) => vitrine.deploy(ada, await zipOf({ "index.html": text }), { site: "old-hand" });
  for (let version = 1; version <= 22; version++) await deploy(`version ${version}`);
  const { page } = await share();
  await show(page, "/dashboard/sites/old-hand/deployments");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await page.getByText("#1", { exact: true }).waitFor();
  await goLive(page, 1);
  await page.getByText("Deployment 1 is live.").waitFor();
  await liveRow(page).getByText("#1", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await liveRow(page).getByText("#22", { exact: true }).waitFor();

  // Undo also works for a deployment that is too old to be listed.
  await vitrine.call("POST", "/sites/old-hand/deployments/1/activate", { token: ada });
  await page.reload();
  // Its row is inserted late, and would move the menu.
  await liveRow(page).getByText("#1", { exact: true }).waitFor();
  await goLive(page, 21);
  await page.getByText("Deployment 21 is live.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Deployment 1 is live.").waitFor();
  await liveRow(page).getByText("#1", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await page.getByText("#2", { exact: true }).waitFor();

  await dropFiles(page, { "more.zip": await zipOf({ "index.html": "version 23" }) });
  await page.getByRole("dialog").getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("dialog", { name: "old-hand is live" }).waitFor();
  await liveRow(page).getByText("#23", { exact: true }).waitFor();
  const all = Array.from({ length: 23 }, (_, index) => `#${23 - index}`);
  expect(await shownNumbers(page)).toEqual(all);
});

test("the explanation of an address shows the redirects before its response", async () => {
  const files = { "index.html": "x", _redirects: "/old topic=:t /new/:t 302" };
  await vitrine.deploy(ada, await zipOf(files), { site: "riddle", access: "private" });
  const { page } = await share();
  await show(page, "/dashboard/sites/riddle/explain");
  await page.getByLabel("URL or path").fill(`${vitrine.siteUrl("riddle")}/old?topic=${"a".repeat(400)}#top`);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText(`Redirect to /new/${"a".repeat(400)}`).waitFor();
  await page.getByRole("row", { name: "location" }).getByText("_redirects, line 1").waitFor();
  await page.getByText("The site is private: only its readers get this, after signing in").waitFor();
  // The second response is that of the redirect's target.
  await page.getByRole("button", { name: /^Show steps/ }).click();
  await page.getByText("Not-found page").waitFor();
  await vitrine.store.sites.setFrozen((await vitrine.store.sites.find("riddle"))?.id ?? 0, { at: 0, reason: null });
  await page.getByLabel("URL or path").fill("/");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("The operator froze the site: visitors get 403").waitFor();

  // The previous explanation disappears when another URL is entered.
  await page.getByLabel("URL or path").fill("elsewhere");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("a URL begins with /, or with https:// and a host").waitFor();
  expect(await page.locator(".explanation").count()).toBe(0);
});

test("a private site is shared with a reader, who can open it", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>secret</h1>" }), { site: "shared" });
  const reader = await addLocalAccount(vitrine, "grace");
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/shared/access");
  await page.getByRole("radio", { name: "Private" }).check();
  await page.getByText("shared is now private.").waitFor();
  // The event of the deployment may show another message meanwhile.
  await page.locator(".toast", { hasText: "is now private" }).getByRole("button", { name: "Dismiss" }).click();
  await page.getByText("No readers yet").waitFor();
  await page.getByLabel("Login").fill("nobody");
  await page.getByText("No user with this login is known here.").waitFor();
  await page.getByLabel("Login").fill("grace");
  await page.getByText("Found grace").waitFor();
  await page.getByRole("button", { name: "Add reader" }).click();
  await page.getByRole("button", { name: "Remove grace" }).waitFor();
  expect(errors.filter((text) => !text.includes("404"))).toEqual([]);

  const { page: visit } = await open(null);
  await visit.goto(vitrine.siteUrl("shared"));
  await visit.getByLabel("Login").fill(reader.login);
  await visit.getByLabel("Password").fill(PASSWORD);
  await visit.getByRole("button", { name: "Sign in", exact: true }).click();
  await visit.getByRole("heading", { name: "secret", exact: true }).waitFor();

  await visit.goto(vitrine.baseUrl);
  const list = visit.getByRole("row", { name: "shared" });
  await list.getByText("shared by ada").waitFor();
  expect(await visit.getByRole("link", { name: "shared", exact: true }).getAttribute("href")).toBe(
    vitrine.siteUrl("shared"),
  );
  await page.getByRole("button", { name: "Remove grace" }).click();
  await page.getByText("grace can no longer open shared.").waitFor();
  await reloadUntil(visit, list, "detached");
});

test("a site that does not exist shows neither tabs nor an address", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/nobodys/access");
  await page.getByRole("heading", { name: "Site not found", exact: true }).waitFor();
  expect(await page.getByRole("navigation", { name: "nobodys" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Visit" }).count()).toBe(0);
  await page.getByRole("link", { name: "Go to your sites" }).click();
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
});

test("a private site becomes public only after confirmation", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "plan" }), { site: "launch", access: "private" });
  const isPrivate = async () => (await vitrine.store.sites.find("launch"))?.private;
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/launch/access");
  const choosePublic = () => page.getByText("Public", { exact: true }).click();
  await choosePublic();
  const question = page.getByRole("dialog", { name: "Make launch public?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect(await page.getByRole("radio", { name: "Private" }).isChecked()).toBe(true);
  expect(await isPrivate()).toBe(true);
  await choosePublic();
  await question.getByRole("button", { name: "Make public" }).click();
  await page.getByText("launch is now public.").waitFor();
  expect(await isPrivate()).toBe(false);
  expect(errors).toEqual([]);
});

needing("browser", "curl").test("a deployment token is shown once and works with curl", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "by hand" }), { site: "automated" });
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

  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/^vtd_/).waitFor();
  await page.getByRole("button", { name: /^Revoke / }).click();
  await page.getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("No tokens yet").waitFor();
  await page.getByText(/^vtd_/).waitFor({ state: "detached" });
});

test("sessions are listed, another one is revoked, and signing out leaves no data behind", async () => {
  const { user } = await vitrine.signUp("many-devices");
  const ports = { store: vitrine.store, clock: vitrine.clock, secrets: systemSecrets };
  const here = await startSession(ports, { userId: user.id, clientName: "Firefox", address: "127.0.0.1" });
  for (const clientName of ["laptop", "phone"]) {
    await startSession(ports, { userId: user.id, clientName, address: "127.0.0.1" });
  }
  const { page } = await open(here.token);
  await page.goto("/dashboard/account");
  await page.getByText("Signed in as many-devices").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("session");
  await page.getByRole("option", { name: "Sessions" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dashboard/account/sessions");
  await page.getByText("This browser").waitFor();
  await page.getByRole("button", { name: "End the session of test" }).click();
  await page.getByRole("button", { name: "End session", exact: true }).click();
  await page.getByText("The session of test was ended.").waitFor();
  const ends = page.getByRole("button", { name: /^End the session of/ });
  expect(await ends.count()).toBe(2);
  await page.getByRole("button", { name: "End all others" }).press("Enter");
  await page.getByRole("dialog", { name: "End 2 other sessions?" }).waitFor();
  await page.getByRole("button", { name: "End sessions" }).click();
  await page.getByText("2 other sessions were ended.").waitFor();
  expect(await ends.count()).toBe(0);
  expect(await vitrine.store.sessions.listOfUser(user.id, vitrine.clock.now())).toHaveLength(1);

  await page.getByRole("link", { name: "Sites" }).first().click();
  await page.getByRole("heading", { name: /^Sites$|first site$/ }).waitFor();
  await dropFiles(page, { "plan.zip": await zipOf({ "index.html": "x" }) });
  await page.getByLabel("Site name").fill("secret-plan");
  await page.goto("/dashboard/account");
  await page.route("**/auth/me", (route) => route.fulfill({ status: 500, json: { detail: "internal error" } }));
  await page.reload();
  await page.getByText("Internal error").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  expect(await page.evaluate<number>("sessionStorage.length")).toBe(0);
});
