import { expect } from "bun:test";
import { applyRetention } from "../domain/deployments/retention.ts";
import { DAY } from "../domain/timestamp.ts";
import { zipOf } from "./testing/archives.ts";
import { goLive, liveRow, show, shownNumbers, withoutEvents } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";
import { addViews } from "./testing/views.ts";

const { test, vitrine, ada, open, share } = await browserStories();

const SICK = { status: 503, json: { detail: "service unavailable" } };

async function deploy(site: string, times = 1): Promise<void> {
  for (let version = 1; version <= times; version++) {
    await vitrine.deploy(ada, await zipOf({ "index.html": `version ${version}` }), { site });
  }
}

test("a site's address that cannot be loaded shows an error and is retried", async () => {
  await deploy("nowhere");
  const { page } = await open();
  await page.route("**/capabilities/hosting", (route) => route.fulfill(SICK));
  await page.goto("/dashboard/sites/nowhere");
  await page.getByText("Could not load the address. Service unavailable").waitFor();
  expect(await page.getByRole("button", { name: "Visit" }).getAttribute("aria-disabled")).toBe("true");
  await page.unroute("**/capabilities/hosting");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "Visit", exact: true }).waitFor();
});

test("changes that cannot be loaded are retried", async () => {
  await deploy("blank", 2);
  const { page } = await share();
  await page.route("**/changes", (route) => route.fulfill(SICK));
  await show(page, "/dashboard/sites/blank/deployments");
  await page.getByRole("link", { name: "#2", exact: true }).click();
  await page.getByRole("alert").getByText("Service unavailable").waitFor();
  await page.unroute("**/changes");
  await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
  await page.getByRole("dialog").getByText("index.html").waitFor();
});

test("a chart whose script does not load is replaced by the table", async () => {
  await deploy("uncharted");
  await addViews(vitrine, "uncharted");
  const { page, errors } = await open();
  await page.goto("/dashboard/sites/uncharted");
  await page.getByText("First deployment").waitFor();
  await page.route("**/assets/**", (route) => route.abort());
  await page.getByRole("link", { name: "Analytics" }).click();
  await page.getByText("Could not load the chart.").waitFor();
  expect(errors.filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
});

// Advances the server's clock beyond the range of the visits page.
test("the oldest deployment that retention kept is not called the first", async () => {
  await deploy("thinned", 4);
  await vitrine.call("PUT", "/sites/thinned/retention", { token: ada, json: { keep_last: 2, keep_days: null } });
  vitrine.advance(8 * DAY);
  await applyRetention(vitrine, { last: null, days: null }, "thinned");
  const { page } = await share();
  await show(page, "/dashboard/sites/thinned");
  await page.getByText("Previous deployment deleted").waitFor();
  expect(await page.getByText("First deployment").count()).toBe(0);
});

test("an account that cannot be loaded is retried", async () => {
  const { page } = await open();
  await page.route("**/auth/me", (route) => route.fulfill(SICK));
  await page.goto("/dashboard/account");
  await page.getByText("Could not load your account. Service unavailable").waitFor();
  await page.unroute("**/auth/me");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Signed in as ada").waitFor();
});

test("a history stays complete if its older pages cannot be reloaded", async () => {
  await deploy("gapless", 22);
  const { page } = await open();
  await withoutEvents(page);
  await page.goto("/dashboard/sites/gapless/deployments");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await page.getByText("#1", { exact: true }).waitFor();
  await deploy("gapless");
  await page.route("**/deployments?*before=*", (route) => route.fulfill(SICK));
  await goLive(page, 20);
  await liveRow(page).getByText("#20", { exact: true }).waitFor();
  await page.getByText("Could not load older entries. Service unavailable").waitFor();
  /** Returns the deployments with the live one first. */
  const numbers = (live: number) => {
    const all = Array.from({ length: 23 }, (_, index) => 23 - index);
    return [live, ...all.filter((number) => number !== live)].map((number) => `#${number}`);
  };
  expect(await shownNumbers(page)).toEqual(numbers(20));
  await page.unroute("**/deployments?*before=*");
  await page.getByRole("button", { name: "Show older deployments" }).click();
  await page.getByText("Could not load older entries.").waitFor({ state: "detached" });
  expect(await shownNumbers(page)).toEqual(numbers(20));

  // It also appears with the next automatic reload.
  await page.route("**/deployments?*before=*", (route) => route.fulfill(SICK));
  await goLive(page, 21);
  await liveRow(page).getByText("#21", { exact: true }).waitFor();
  await page.getByText("Could not load older entries.").waitFor();
  await page.unroute("**/deployments?*before=*");
  await goLive(page, 22);
  await liveRow(page).getByText("#22", { exact: true }).waitFor();
  await page.getByText("Could not load older entries.").waitFor({ state: "detached" });
  expect(await shownNumbers(page)).toEqual(numbers(22));
});
