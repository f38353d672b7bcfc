import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { addLocalAccount } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { hold, openWindow } from "./testing/chromium.ts";
import { liveRow, show } from "./testing/dashboard.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { type Receiver, startReceiver } from "./testing/receiver.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, afterAll, vitrine, browser, ada, open } = await browserStories(() =>
  startDomainsServer({ "allow-private-webhooks": "on" }),
);

let receiver: Receiver;
/** One page for all actions, because opening one takes longer than most. */
let shared: Page;

beforeAll(async () => {
  receiver = startReceiver();
  // One more than a page of the history shows.
  for (let number = 1; number <= 21; number++) {
    await vitrine.deploy(ada, await zipOf({ "index.html": `${number}` }), { site: "shop", access: "private" });
  }
  for (const login of ["grace", "heidi"]) {
    await addLocalAccount(vitrine, login);
    await vitrine.call("POST", "/sites/shop/access/readers", { token: ada, json: { provider_login: login } });
  }
  await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: "shop", name: "Nightly" } });
  await vitrine.call("POST", "/sites/shop/webhooks", { token: ada, json: { url: receiver.url } });
  await vitrine.claim(ada, "shop", "www.shop.example");
  shared = (await openWindow(browser, vitrine, ada)).page;
});
afterAll(async () => {
  await receiver?.stop();
});

/** Each takes a tenth of a second. Only a failing story looks that often: a reload may take seconds on a busy machine. */
const MAX_LOOKS = 600;

interface Action {
  readonly tab?: string;
  /** The text to type first, by the label of its field. */
  readonly type?: readonly [label: string, text: string];
  /** The buttons to press, in order. */
  readonly press: readonly string[];
  /** The message that confirms the action. */
  readonly done: string | RegExp;
  /** The beginning of the text that has the focus afterwards. */
  readonly focus: string;
}

const ACTIONS: readonly Action[] = [
  { tab: "deployments", press: ["Actions for #21", "Pin"], done: "Deployment 21 is pinned.", focus: "Actions for #21" },
  { tab: "deployments", press: ["Show older deployments"], done: "First deployment", focus: "#2" },
  {
    tab: "deployments",
    press: ["Roll back to deployment 20", "Roll back to #20"],
    done: "Deployment 20 is live.",
    focus: "Deployments",
  },
  { press: ["Roll back to deployment 19", "Roll back to #19", "Undo"], done: "Deployment 20 is live.", focus: "shop" },
  {
    tab: "settings/retention",
    type: ["Deployments to keep", "7"],
    press: ["Save"],
    done: "Set for this site.",
    focus: "Save",
  },
  {
    tab: "settings/retention",
    press: ["Use server default"],
    done: "This is the server default.",
    focus: "Deployment retention",
  },
  { tab: "access", press: ["Remove heidi"], done: "heidi can no longer open shop.", focus: "grace" },
  { tab: "access", press: ["Remove grace"], done: "grace can no longer open shop.", focus: "Readers" },
  {
    tab: "access",
    type: ["Login", "grace"],
    press: ["Add reader"],
    done: "grace can now open shop.",
    focus: "Add reader",
  },
  {
    tab: "tokens",
    press: ["Revoke Nightly", "Revoke token"],
    done: "Nightly was revoked.",
    focus: "Deployment tokens",
  },
  { tab: "webhooks", press: ["Send test"], done: /^Test: delivered, status 204/, focus: "Send test" },
  { tab: "domains", press: ["Check now"], done: "checked just now", focus: "Check now" },
  {
    tab: "domains",
    press: ["Remove www.shop.example", "Remove domain"],
    done: "www.shop.example was removed.",
    focus: "Custom domains",
  },
];

test.each(ACTIONS.map((action) => [action.press.join(", "), action] as const))(
  "the focus stays nearby after: %s",
  async (_name, { tab, type, press, done, focus }) => {
    // The overview has a message with Undo, as the action before it. In a new window there is only one.
    const page = tab === undefined ? (await open()).page : shared;
    await show(page, `/dashboard/sites/shop/${tab ?? ""}`);
    if (type) await page.getByLabel(type[0]).fill(type[1]);
    for (const name of press) await pressEnter(page, name);
    await page.getByText(done).first().waitFor();
    await expectFocus(page, focus);
  },
);

test("the focus stays nearby if the button is gone before the dialog that it opened", async () => {
  await vitrine.call("POST", "/sites/shop/deployments/21/activate", { token: ada });
  await show(shared, "/dashboard/sites/shop/deployments");
  await liveRow(shared).getByText("#21", { exact: true }).waitFor();
  const activation = await hold(shared, "**/deployments/18/activate", "POST", { answered: true });
  await pressEnter(shared, "Roll back to deployment 18");
  await pressEnter(shared, "Roll back to #18");
  await activation.arrived;
  await liveRow(shared).getByText("#18", { exact: true }).waitFor();
  await activation.release();
  await shared.getByRole("dialog").waitFor({ state: "detached" });
  await expectFocus(shared, "#19");
});

test("a page that opens takes the focus before anything on it can be used, and not later", async () => {
  await show(shared, "/");
  const newSite = shared.getByRole("button", { name: "New site", exact: true });
  await newSite.waitFor();
  await show(shared, "/dashboard/nothing");
  await shared.evaluate(`new MutationObserver((_, observer) => {
    const button = [...document.querySelectorAll("main button")].find(({ textContent }) => textContent.trim() === "New site");
    button?.focus();
    if (button) observer.disconnect();
  }).observe(document.body, { childList: true, subtree: true })`);
  await show(shared, "/");
  await newSite.waitFor();
  // Effects run after the next frame is painted.
  await shared.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))");
  expect(await shared.evaluate<string>("document.activeElement.textContent.trim()")).toBe("New site");
});

test("a deployment is started and confirmed while the focus stays in the dialog", async () => {
  const { page } = await open();
  await page.goto("/dashboard/sites/shop");
  await pressEnter(page, /^Deploy$/);
  const dialog = page.getByRole("dialog");
  const file = dialog.getByLabel("Choose a ZIP or HTML file");
  await file.focus();
  await file.setInputFiles({ name: "new.html", mimeType: "text/html", buffer: Buffer.from("<h1>new</h1>") });
  await dialog.getByText("1 file").waitFor();
  expect(await focusOf(page)).toBe("Deploy to shop");

  // Screen readers announce changes in a live region, not its insertion.
  const status = await dialog.getByRole("status").elementHandle();
  await pressEnter(page, /^Deploy$/);
  await dialog.getByRole("link", { name: "Visit" }).waitFor();
  expect(await status?.textContent()).toBe("shop is live");
  expect(await focusOf(page)).toBe("shop is live");

  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await focusOf(page)).toBe("Deploy");
});

/**
 * Waits until the button is enabled and presses Enter. If several match, the last one is in front, such as in a dialog.
 */
function pressEnter(page: Page, name: string | RegExp): Promise<void> {
  const button = page.getByRole("button", { name, disabled: false });
  return button
    .or(page.getByRole("menuitem", { name, disabled: false }))
    .last()
    .press("Enter");
}

/** The confirmation of an action appears before the reloaded list, which no longer has the button. */
async function expectFocus(page: Page, focus: string): Promise<void> {
  let focused = await focusOf(page);
  for (let look = 0; look < MAX_LOOKS && !focused.startsWith(focus); look++) focused = await focusOf(page);
  expect(focused).toStartWith(focus);
}

/** The text of the focused element, after the page was drawn and effects have run; empty if nothing has the focus. */
function focusOf(page: Page): Promise<string> {
  return page.evaluate<string>(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
    const { activeElement, body } = document;
    const text = activeElement.ariaLabel ?? activeElement.textContent;
    resolve(activeElement === body ? "" : text.replaceAll(/\\s+/g, " ").trim());
  }, 100)))`);
}
