import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { dropFiles, hold } from "./testing/chromium.ts";
import { show, withoutEvents } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, describe, beforeAll, vitrine, ada, open, share } = await browserStories();

beforeAll(async () => {
  for (const site of ["atlas", "blog", "choir"]) {
    await vitrine.deploy(ada, await zipOf({ "index.html": site, "favicon.svg": ICON }), { site });
  }
  await vitrine.call("PUT", "/sites/blog/tags", { token: ada, json: { tags: ["news"] } });
});

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="red"/></svg>`;

async function openList(query = ""): Promise<Page> {
  const { page } = await share();
  await show(page, `/${query}`);
  await page.getByRole("row", { name: "atlas" }).waitFor();
  await page.getByText("Views, 30 days").first().waitFor();
  // Without the addresses, the menus have no "Visit".
  await page.getByText("atlas.localhost").first().waitFor();
  return page;
}

const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent.trim()");
const names = (page: Page) => page.locator("tbody .row-link").allTextContents();

test("the list can be searched, selected and opened with the keyboard alone", async () => {
  const page = await openList("?sort=name");
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

  await page.keyboard.press("/");
  await page.keyboard.type("CHO");
  await page.getByText("1 site", { exact: true }).waitFor();
  expect(await names(page)).toEqual(["choir"]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "choir", level: 1 }).waitFor();
});

test("the palette finds a site by a part of its name, and its actions", async () => {
  const page = await openList();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("oir");
  await page.getByRole("option", { name: "choir" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "choir", level: 1 }).waitFor();

  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox");
  await field.fill("domains");
  await page.getByRole("group", { name: "In choir" }).getByRole("option", { name: "Domains" }).waitFor();
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await page.waitForURL("**/dashboard/sites/choir/settings/domains");

  // Sent together, because the second key must follow within 1.5 seconds.
  await Promise.all([page.keyboard.press("g"), page.keyboard.press("s")]);
  await page.getByRole("table", { name: "Sites" }).waitFor();
});

test("what is typed before the palette has loaded is searched", async () => {
  const { page } = await open();
  const loading = await hold(page, "**/palette-*.js", "GET");
  await page.goto("/");
  await page.getByRole("row", { name: "choir" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("oir");
  await loading.arrived;
  await loading.release();
  expect(await page.getByRole("combobox").inputValue()).toBe("oir");
  await page.getByRole("option", { name: "choir" }).waitFor();
});

test("single-key shortcuts do nothing while typing, or once they are disabled", async () => {
  const page = await openList();
  await page.getByRole("searchbox").fill("");
  await page.keyboard.type("n?");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("searchbox").fill("");
  await page.getByRole("heading", { name: "Sites" }).focus();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByLabel("Single-letter shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  for (const key of ["n", "?", "j"]) await page.keyboard.press(key);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.locator(".row-link:focus").count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
});

test("several sites are tagged, filtered by tag, and deleted after one confirmation", async () => {
  for (const site of ["old-one", "old-two"]) await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site });
  const page = await openList();
  for (const site of ["old-one", "old-two"]) await page.getByRole("checkbox", { name: `Select ${site}` }).check();
  await page.getByRole("button", { name: "Add tag" }).click();
  await page.getByLabel("Tags", { exact: false }).last().fill("Gone, 2019");
  await page.getByRole("button", { name: "Add tags" }).click();
  await page.getByText("old-two and old-one were tagged.").waitFor();
  await page.getByRole("button", { name: "Tags" }).click();
  await page.getByRole("menuitem", { name: "gone" }).click();
  await page.getByText("2 sites", { exact: true }).waitFor();
  await page.reload();
  await page.getByRole("row", { name: "old-one" }).waitFor();
  expect((await names(page)).sort()).toEqual(["old-one", "old-two"]);

  // The filter limits the selection, which the bar says.
  await page.getByRole("checkbox", { name: "Select all 2 sites" }).check();
  await page.getByRole("searchbox").fill("two");
  await page.getByText("1 selected, 1 hidden").waitFor();
  await page.getByRole("searchbox").fill("");
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Change access" }).click();
  await page.getByRole("menuitem", { name: "Make private" }).click();
  const undo = page.locator(".toast", { hasText: "old-two and old-one were made private." });
  await undo.getByRole("button", { name: "Undo" }).click();
  await page.getByText("old-two and old-one were made public.").waitFor();

  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type delete 2 sites to confirm").fill("delete 2 sites");
  await page.getByRole("button", { name: "Delete 2 sites" }).click();
  await page.getByText("old-two and old-one were deleted.").waitFor();
  await page.getByRole("button", { name: "Show all sites" }).click();
  await page.getByRole("row", { name: "atlas" }).waitFor();
  expect((await names(page)).sort()).toEqual(["atlas", "blog", "choir"]);
});

test("of 2,000 sites only those near the viewport are drawn, and the last one can be reached", async () => {
  const { page } = await open();
  await page.route("**/sites", async (route) => {
    const [site] = (await (await route.fetch()).json()) as { name: string }[];
    await route.fulfill({ json: Array.from({ length: 2000 }, (_, index) => ({ ...site, name: `site-${index}` })) });
  });
  await page.goto("/?sort=name");
  await page.getByRole("row", { name: "site-0", exact: false }).first().waitFor();
  expect((await names(page)).length).toBeLessThan(100);
  const height = await page.evaluate<number>("document.documentElement.scrollHeight");
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await page.getByRole("link", { name: "site-1999", exact: true }).waitFor();
  expect((await names(page)).length).toBeLessThan(100);
  expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBe(height);
});

test("a site's own icon is loaded from its host, without errors in the page", async () => {
  const { page, errors } = await open();
  await page.goto("/");
  const icon = page.getByRole("row", { name: "atlas" }).locator("img");
  await icon.waitFor();
  expect(await icon.getAttribute("src")).toBe(`${vitrine.siteUrl("atlas")}/favicon.svg`);
  await page.evaluate("Promise.all([...document.images].map((image) => image.decode()))");
  expect(errors).toEqual([]);
});

describe("a new site", () => {
  let grace: string;
  beforeAll(async () => {
    grace = (await vitrine.signUp("grace")).token;
  });

  async function makeSite(site: string): Promise<void> {
    await vitrine.deploy(grace, await zipOf({ "index.html": site }), { site });
  }

  async function deploymentsOf(site: string): Promise<number> {
    const response = await vitrine.call("GET", `/sites/${site}/deployments`, { token: grace });
    return ((await response.json()) as unknown[]).length;
  }

  test("an archive named like an existing site warns before publishing that it updates the site", async () => {
    await makeSite("journal");
    const { page, errors } = await share(grace);
    await show(page, "/");
    await page.getByRole("link", { name: "journal" }).waitFor();
    await dropFiles(page, { "journal.zip": await zipOf({ "index.html": "new" }) });
    const update = page.getByRole("dialog", { name: "Update journal" });
    await update.getByRole("status").getByText("You already have a site named journal.").waitFor();
    expect(await update.getByRole("button", { name: "Deploy" }).count()).toBe(0);
    await update.getByLabel("Site name").fill("journal-2");
    await page.getByRole("dialog", { name: "New site" }).getByRole("button", { name: "Deploy" }).waitFor();
    await page.getByLabel("Site name").fill("journal");
    expect(await deploymentsOf("journal")).toBe(1);
    await update.getByRole("button", { name: "Update journal" }).click();
    await page.getByRole("dialog", { name: "journal is live" }).waitFor();
    expect(await deploymentsOf("journal")).toBe(2);
    expect(errors).toEqual([]);
  });

  test("publishing waits until the check of the name has finished", async () => {
    await makeSite("slow");
    const { page } = await open(grace);
    const listing = await hold(page, "**/sites", "GET");
    await page.goto("/");
    await dropFiles(page, { "slow.zip": await zipOf({ "index.html": "new" }) });
    await page.getByText("Checking whether you have a site of that name").waitFor();
    expect(await page.getByRole("dialog").getByRole("button", { name: "Deploy" }).isDisabled()).toBe(true);
    await listing.release();
    await page.getByRole("button", { name: "Update slow" }).waitFor();
  });

  test("a site that was created elsewhere meanwhile is not updated as a new one", async () => {
    const { page } = await open(grace);
    // Else the dialog may know of the site before the button is pressed.
    await withoutEvents(page);
    await page.goto("/");
    await dropFiles(page, { "late.zip": await zipOf({ "index.html": "new" }) });
    const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy", disabled: false });
    await deploy.waitFor();
    await makeSite("late");
    await deploy.click();
    await page.getByRole("alert").getByText("You have a site named late by now.").waitFor();
    expect(await deploymentsOf("late")).toBe(1);
    await page.getByRole("button", { name: "Update late" }).waitFor();
  });

  test("an invalid name says why, and suggests a valid one", async () => {
    const { page } = await share(grace);
    await show(page, "/");
    await dropFiles(page, { "index.html": "new" });
    const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy" });
    const name = page.getByLabel("Site name");
    await name.fill("Ünï code!");
    await page.getByText("Choose another name: only a-z, 0-9 and - are allowed. Try uni-code.").waitFor();
    expect(await deploy.isDisabled()).toBe(true);
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    await name.fill("uni-code");
    await deploy.click();
    await page.getByRole("dialog", { name: "uni-code is live" }).waitFor();
  });
});
