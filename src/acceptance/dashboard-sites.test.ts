import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories();

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

  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.getByRole("table", { name: "Sites" }).waitFor();
});

test("single-key shortcuts do nothing while typing, or once they are switched off", async () => {
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
  await page.getByText("2 sites were tagged.").waitFor();
  await page.getByRole("button", { name: "Tags" }).click();
  await page.getByRole("menuitem", { name: "gone" }).click();
  await page.getByText("2 sites", { exact: true }).waitFor();
  await page.reload();
  await page.getByRole("row", { name: "old-one" }).waitFor();
  expect((await names(page)).sort()).toEqual(["old-one", "old-two"]);

  await page.getByRole("checkbox", { name: "Select all 2 sites" }).check();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type delete 2 sites to confirm").fill("delete 2 sites");
  await page.getByRole("button", { name: "Delete 2 sites" }).click();
  await page.getByText("2 sites were deleted.").waitFor();
  await page.getByRole("button", { name: "Show all sites" }).click();
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
  await page.getByRole("link", { name: "site-999", exact: true }).waitFor();
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
