import type { Page } from "playwright-core";

/** Opens a page of the settings of the site that is shown, from any of its tabs. */
export async function openSettings(page: Page, panel: string): Promise<void> {
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: panel }).click();
}

/** Keeps the server's events from a page, which then looks for changes every 15 seconds: it is out of date until then. */
export async function withoutEvents(page: Page): Promise<void> {
  await page.route("**/events", (route) => route.fulfill({ status: 204 }));
}
