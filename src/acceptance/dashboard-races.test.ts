import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page, Route } from "playwright-core";
import { startAppliance, type TestAppliance } from "./testing/appliance.ts";
import { zipOf } from "./testing/archives.ts";
import { dropFiles, openWindow, startChromium } from "./testing/chromium.ts";

// A browser on a busy machine takes its time.
setDefaultTimeout(60_000);

let vitrine: TestAppliance;
let browser: Browser;
let ada: string;

beforeAll(async () => {
  vitrine = await startAppliance({ workers: "1" });
  browser = await startChromium();
  ada = (await vitrine.signUp("ada")).token;
});
afterAll(async () => {
  await browser?.close();
  await vitrine?.[Symbol.asyncDispose]();
});

test("who changes their mind at once gets what they chose last", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "wavering", access: "private" });
  const { page } = await openWindow(browser, vitrine, ada);
  await page.goto("/dashboard/sites/wavering/access");
  const opening = await hold(page, "**/sites/wavering/access", "DELETE");
  await page.getByText("Everybody", { exact: true }).click();
  await opening.arrived;
  await page.getByText("Only you and its readers").click();
  await opening.release();
  await page.getByText("wavering is private now.").waitFor();
  expect(await page.getByRole("radio", { name: "Only you and its readers" }).isChecked()).toBe(true);
  expect((await vitrine.store.sites.find("wavering"))?.private).toBe(true);
});

test("a deployment begins once, and Cancel ends it from the first moment on", async () => {
  const { page } = await openWindow(browser, vitrine, ada);
  await page.goto("/");
  await page.getByRole("heading", { name: "Sites" }).waitFor();
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") sent += 1;
  });
  const dialog = page.getByRole("dialog");
  await dropFiles(page, { "hasty.zip": await zipOf({ "index.html": "x" }) });
  await dialog.getByLabel("Site name").waitFor();
  const asking = await hold(page, "**/capabilities/hosting", "GET");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await asking.arrived;
  await dialog.getByText("Getting ready").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Deploy" }).waitFor();
  await asking.release();
  await page.unroute("**/capabilities/hosting");
  // Both before the page is drawn again.
  await dialog.locator("form").evaluate((form) => {
    const submit = () => form.dispatchEvent(new Event("submit", { cancelable: true }));
    submit();
    submit();
  });
  await page.getByRole("dialog", { name: "hasty is live" }).waitFor();
  expect(sent).toBe(1);
});

interface Held {
  /** Resolves when the request is on its way. */
  readonly arrived: Promise<void>;
  release(): Promise<void>;
}

/** Holds back the first request of a method to an address; `answered` once the server has done it already. */
async function hold(page: Page, url: string, method: string, { answered = false } = {}): Promise<Held> {
  const arrived = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let isFirst = true;
  await page.route(url, async (route: Route) => {
    if (route.request().method() !== method || !isFirst) return route.continue();
    isFirst = false;
    const response = answered ? await route.fetch() : null;
    arrived.resolve();
    await held.promise;
    await (response ? route.fulfill({ response }) : route.continue()).catch(() => {});
    gone.resolve();
  });
  return {
    arrived: arrived.promise,
    release() {
      held.resolve();
      return gone.promise;
    },
  };
}
