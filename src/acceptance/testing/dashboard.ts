import type { Locator, Page } from "playwright-core";

/** The narrowest window that the pages are made for. */
export const PHONE = { width: 360, height: 740 };

/**
 * Shows a page of the dashboard. A window that shows one already follows a link, which takes a fifth of the time of
 * loading it. What the page keeps in memory stays.
 */
export async function show(page: Page, path: string): Promise<void> {
  if (!(await isDashboard(page))) {
    await page.goto(path);
    return;
  }
  if (new URL(page.url()).pathname !== NOTHING) await showNothing(page);
  await follow(page, path);
}

/**
 * Shows the dashboard without a page and without messages. It has no text of any page, so what a story waits for next
 * cannot be a remainder.
 */
export async function showNothing(page: Page): Promise<void> {
  if (!(await isDashboard(page))) {
    await page.goto(NOTHING);
    return;
  }
  await follow(page, NOTHING);
  await page.getByText("Page not found").waitFor();
  await page.evaluate(
    "for (const dismiss of document.querySelectorAll('.toast [aria-label=Dismiss]')) dismiss.click()",
  );
}

/** A path that no page has. */
const NOTHING = "/dashboard/nothing";

function isDashboard(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("document.querySelector('a.skip') !== null");
}

async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    const link = Object.assign(document.createElement("a"), { href: ${JSON.stringify(path)} });
    document.body.append(link);
    link.click();
    link.remove();
  }`);
}

/** Opens a settings page of the current site, from any of its tabs. */
export async function openSettings(page: Page, panel: string): Promise<void> {
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: new RegExp(`^${panel}`) })
    .click();
}

/** Blocks the server's events, so that the page is out of date until something else reloads it. */
export async function withoutEvents(page: Page): Promise<void> {
  await page.route("**/events", (route) => route.fulfill({ status: 204 }));
  // A page that a story left open may be connected already. As one that is being left, it ends the connection.
  await page.evaluate("dispatchEvent(new Event('pagehide'))");
}

/**
 * Reloads the page's data, as when its tab gets the focus, until an element is there, or gone. What is loading at that
 * moment is not reloaded.
 */
export async function reloadUntil(
  page: Page,
  element: Locator,
  state: "visible" | "detached" = "visible",
): Promise<void> {
  let isReached = false;
  while (!isReached) {
    // The page may be replaced at this moment, such as by the sign-in page.
    await page.evaluate("dispatchEvent(new Event('focus'))").catch((error) => {
      if (page.isClosed()) throw error;
    });
    isReached = await element.waitFor({ state, timeout: RELOAD_AGAIN_MS }).then(
      () => true,
      () => false,
    );
  }
}

const RELOAD_AGAIN_MS = 500;

/** Chooses an entry of the menu in a deployment's row. */
export async function chooseAction(page: Page, number: number, name: string | RegExp): Promise<void> {
  await page.locator(`button[aria-label="Actions for #${number}"]`).click();
  await page.getByRole("menuitem", { name }).click();
}

export function liveRow(page: Page): Locator {
  return page.locator("tr.is-live");
}

/** The numbers of the visible deployments, from top to bottom. */
export function shownNumbers(page: Page): Promise<string[]> {
  return page.locator(".deps .d-num .row-link").allTextContents();
}
