import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { hold } from "./testing/chromium.ts";
import { show, withoutEvents } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories();

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="red"/></svg>`;

beforeAll(async () => {
  for (const site of ["atlas", "blog", "choir", "old-one", "old-two"]) {
    await vitrine.deploy(ada, await zipOf({ "index.html": site, "favicon.svg": ICON }), { site });
  }
});

const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent.trim()");
const names = (page: Page) => page.locator("tbody .row-link").allTextContents();

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
  for (const site of ["old-one", "old-two"]) await page.getByRole("checkbox", { name: `Select ${site}` }).check();
  await page.getByRole("button", { name: "Add tag" }).click();
  await page.getByRole("textbox", { name: /^Tags/ }).fill("Gone, 2019");
  await page.getByRole("button", { name: "Add tags" }).click();
  await page.getByText("old-two and old-one were tagged.").waitFor();
  await page.getByRole("button", { name: "Tags" }).click();
  await page.getByRole("menuitem", { name: "gone" }).click();
  await page.getByText("2 sites", { exact: true }).waitFor();
  expect((await names(page)).sort()).toEqual(["old-one", "old-two"]);

  // The filter limits the selection, which the bar says.
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
