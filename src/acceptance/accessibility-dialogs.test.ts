import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { addLocalAccount, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { faultsOf } from "./testing/axe.ts";
import { openWindow } from "./testing/chromium.ts";
import { show } from "./testing/dashboard.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, browser } = await browserStories(() => startDomainsServer());

/** A window of olivia, an operator with two sites and two sessions. */
let page: Page;

beforeAll(async () => {
  const { store, clock } = vitrine;
  const { id: userId } = await addLocalAccount(vitrine, "olivia");
  await store.users.setOperator(userId, true);
  await startSession({ store, clock, secrets: systemSecrets }, { userId, clientName: "Safari", address: null });
  await addLocalAccount(vitrine, "grace");
  const olivia = (await signIn(vitrine, "olivia")).cookies().get("vitrine") as string;
  for (const _redirects of ["", "/a /b 999\n"]) {
    await vitrine.deploy(olivia, await zipOf({ "index.html": _redirects, _redirects }), { site: "open" });
  }
  const json = (body: object) => ({ token: olivia, json: body });
  await vitrine.deploy(olivia, await zipOf({ "index.html": "x" }), { site: "closed", access: "private" });
  await vitrine.call("PUT", "/sites/open/tags", json({ tags: ["docs"] }));
  await vitrine.call("PUT", "/sites/open/aliases/staging", json({ deployment_number: 1 }));
  await vitrine.call("POST", "/tokens", json({ site_name: "open", name: "Nightly" }));
  await vitrine.call("POST", "/sites/closed/shares", json({ label: "Client", kind: "link", expires_in: "1d" }));
  await vitrine.call("POST", "/sites/open/webhooks", json({ url: "https://hooks.example.org/" }));
  const publisher = { provider: "github", repository: "ada/open", ref: "refs/heads/main", permission: "publish" };
  await vitrine.call("POST", "/sites/open/publishers", json(publisher));
  await vitrine.claim(olivia, "open", "www.example.com");
  await vitrine.call("POST", "/admin/backups", json({}));
  page = (await openWindow(browser, vitrine, olivia)).page;
  await page.setViewportSize({ width: 1440, height: 844 });
});

interface Opened {
  readonly role: "dialog" | "menu";
  readonly name: string | RegExp;
  /** The names of what is pressed: a button, and for a dialog of a menu the item. */
  readonly by: readonly (string | RegExp)[];
}

const dialog = (name: Opened["name"], ...by: Opened["by"][number][]): Opened => ({ role: "dialog", name, by });
const menu = (name: string | RegExp): Opened => ({ role: "menu", name, by: [name] });

const OPEN = "/dashboard/sites/open";
const CONSOLE = "/dashboard/console";

/** Every dialog and menu that a button of a page opens. */
const PLACES: readonly (readonly [path: string, opened: readonly Opened[]])[] = [
  [
    "/?sort=name",
    [
      menu("Account: olivia"),
      menu("Tags"),
      menu("Actions for open"),
      dialog("Tags of open", "Actions for open", "Edit tags… T"),
      dialog("Delete open?", "Actions for open", "Delete…"),
      dialog("New site", "New site"),
      dialog("Search or jump to", /^Search or jump to/),
      dialog("Keyboard shortcuts", "Keyboard shortcuts"),
    ],
  ],
  [OPEN, [dialog("Roll back to #1?", "Roll back")]],
  [
    `${OPEN}/deployments`,
    [
      menu("Actions for #1"),
      dialog("Roll back to #1?", "Actions for #1", "Roll back to this…"),
      dialog("Deployment #2", "Actions for #2", "Details and changes"),
      dialog("Aliases of #1", "Actions for #1", "Aliases…"),
      dialog("Deploy to open", "Deploy"),
    ],
  ],
  [`${OPEN}/settings/domains`, [dialog("Remove www.example.com?", "Remove www.example.com")]],
  [
    `${OPEN}/settings/tokens`,
    [
      menu("Actions for ada/open"),
      dialog("Workflow for ada/open", "Actions for ada/open", "Workflow file"),
      dialog("Delete the publisher ada/open?", "Actions for ada/open", "Delete…"),
      dialog("Revoke Nightly?", "Revoke Nightly"),
    ],
  ],
  ["/dashboard/sites/closed/settings/shares", [dialog("Revoke Client?", "Revoke Client")]],
  [
    `${OPEN}/settings/webhooks`,
    [dialog("Rotate the signing secret?", /^Rotate secret/), dialog("Delete this webhook?", /^Delete /)],
  ],
  [`${OPEN}/settings/danger`, [dialog("Delete open?", "Delete open…")]],
  [
    "/dashboard/account/sessions",
    [
      dialog("End 1 other session?", "End all others"),
      dialog("End the session of Safari?", "End the session of Safari"),
    ],
  ],
  [`${CONSOLE}/people`, [dialog("Invite a person", "Invite"), dialog("grace", "Manage grace")]],
  [`${CONSOLE}/sites`, [dialog("closed", "Manage closed")]],
  [
    `${CONSOLE}/backups`,
    [
      menu(/^Actions for the backup of/),
      dialog(/^Restore the backup of/, /^Actions for the backup of/, "How to restore"),
      dialog(/^Delete the backup of/, /^Actions for the backup of/, "Delete…"),
    ],
  ],
];

test.each(PLACES.map(([path, opened]) => [path, opened] as const))(
  "on %s, each dialog and menu opens, keeps the focus, closes and returns it by keyboard, and passes axe",
  async (path, all) => {
    await show(page, path);
    for (const opened of all) {
      // Some buttons are disabled until their list has loaded.
      const opener = page.getByRole("button", { name: opened.by[0] as string, exact: true, disabled: false }).first();
      const place = await openByKeyboard(opener, opened);
      await place.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      expect(await faultsOf(page, "dialog[open], .menu:popover-open")).toEqual([]);
      if (opened.role === "dialog") expect(await leavesWithTab(page)).toBe(false);
      await page.keyboard.press("Escape");
      await place.waitFor({ state: "hidden" });
      await opener.and(page.locator(":focus")).waitFor();
    }
  },
);

/** Returns the open dialog or menu, which has the focus. */
async function openByKeyboard(opener: Locator, { role, name, by }: Opened): Promise<Locator> {
  await opener.focus();
  await page.keyboard.press("Enter");
  for (const item of by.slice(1)) {
    await page.locator(".menu:popover-open :focus").waitFor();
    await page.getByRole("menuitem", { name: item, exact: true }).press("Enter");
  }
  const place = page.getByRole(role, { name, exact: true });
  await place.waitFor();
  // Of a dialog that is still loading, the whole.
  await place
    .locator(":focus")
    .or(place.and(page.locator(":focus")))
    .first()
    .waitFor();
  return place;
}

/** Returns whether Tab moves the focus to something behind the dialog. From its end, the focus goes to the browser. */
async function leavesWithTab(page: Page): Promise<boolean> {
  await page.evaluate(`{
    isLeft = false;
    document.onfocusin = ({ target }) => { isLeft ||= !target.closest("dialog[open]"); };
  }`);
  for (let press = 0; press < 12; press++) await page.keyboard.press("Tab");
  return page.evaluate<boolean>("document.onfocusin = null, isLeft");
}
