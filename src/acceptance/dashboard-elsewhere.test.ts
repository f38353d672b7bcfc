import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { addLocalAccount } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { type Held, hold, type Window } from "./testing/chromium.ts";
import { goLive, liveRow, openSettings, show, withoutEvents } from "./testing/dashboard.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, share } = await browserStories(() => startDomainsServer());

beforeAll(async () => {
  await addLocalAccount(vitrine, "grace");
});

/** The shared window without the event stream, so that changes elsewhere do not arrive by themselves. */
async function open(): Promise<Window> {
  const window = await share();
  await withoutEvents(window.page);
  return window;
}

/** Releases a delayed reload, and expects no error about it. */
async function expectNoToastAfter(page: Page, looking: Held, url: string): Promise<void> {
  const looked = page.waitForResponse(url);
  await looking.release();
  await (await looked).finished();
  // The page's own reload comes after those in progress.
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Account" }).click();
  await page.getByText("Signed in as ada").waitFor();
  expect(await page.locator(".toast.bad").count()).toBe(0);
}

async function makeSite(site: string, access?: string): Promise<void> {
  await vitrine.deploy(ada, await zipOf({ "index.html": site }), { site, ...(access ? { access } : {}) });
}

test("a refused change of readers shows that the site was made public elsewhere", async () => {
  await makeSite("opened", "private");
  const { page } = await open();
  await show(page, "/dashboard/sites/opened/access");
  await page.getByText("No readers yet").waitFor();
  await vitrine.call("DELETE", "/sites/opened/access", { token: ada });
  await page.getByLabel("Login").fill("grace");
  await page.getByRole("button", { name: "Add reader" }).click();
  await page.getByText("Site is not private").waitFor();
  await page.getByRole("heading", { name: "Readers", exact: true }).waitFor({ state: "detached" });
  expect(await page.getByRole("radio", { name: "Public" }).isChecked()).toBe(true);
});

test("a refusal is shown while the page is still reloading", async () => {
  await makeSite("taken");
  await vitrine.claim(ada, "taken", "www.taken.example");
  const { page } = await open();
  await show(page, "/dashboard/sites/taken/domains");
  await page.getByRole("article", { name: "www.taken.example" }).waitFor();
  let constant = 0;
  page.on("request", (request) => {
    if (/\/version$|\/capabilities\/hosting$/.test(request.url())) constant += 1;
  });
  const looking = await hold(page, "**/sites/taken/domains", "GET");
  await page.getByLabel("Domain", { exact: true }).fill("www.taken.example");
  await page.getByRole("button", { name: "Add domain" }).click();
  await looking.arrived;
  await page.getByRole("alert").getByText("www.taken.example").waitFor();
  await looking.release();
  expect(constant).toBe(0);
});

test("a refused revocation of a token that was revoked elsewhere removes it from the list and shows the error", async () => {
  await makeSite("revoked");
  const made = await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: "revoked", name: "CI" } });
  const { id } = (await made.json()) as { id: string };
  const { page } = await open();
  await show(page, "/dashboard/sites/revoked/tokens");
  await page.getByRole("button", { name: "Revoke CI" }).click();
  await vitrine.call("DELETE", `/tokens/${id}`, { token: ada });
  await page.getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("No tokens yet").waitFor();
  await page.locator(".toast.bad").getByText("deployment token does not exist").waitFor();
});

test("a token's name may have 100 characters, even if each takes two UTF-16 code units", async () => {
  await makeSite("tagged");
  const { page } = await open();
  await show(page, "/dashboard/sites/tagged/tokens");
  const name = page.getByLabel("Name");
  const isFine = () => name.evaluate((input) => input.matches(":valid"));
  await name.fill("🏷".repeat(101));
  expect(await isFine()).toBe(false);
  await name.fill("🏷".repeat(99));
  await name.press("End");
  await page.keyboard.insertText("🏷");
  expect(await isFine()).toBe(true);
  await page.getByRole("button", { name: "Create token" }).click();
  await page
    .getByRole("heading", { name: "🏷".repeat(100) })
    .first()
    .waitFor();
});

test("a refused roll-back shows that the site was frozen meanwhile", async () => {
  await makeSite("chilled");
  await makeSite("chilled");
  const { page } = await open();
  await show(page, "/dashboard/sites/chilled");
  await page.getByText("First deployment").waitFor();
  const site = await vitrine.store.sites.find("chilled");
  await vitrine.store.sites.setFrozen(site?.id ?? 0, { at: vitrine.clock.now(), reason: null });
  await goLive(page, 1);
  await page.getByText("The operator of this server froze this site").waitFor();
});

test("a reload that started before a domain was removed does not show it again", async () => {
  await makeSite("shop");
  const claim = await vitrine.claim(ada, "shop", "gone.shop.example");
  const { page } = await open();
  await show(page, "/dashboard/sites/shop/domains");
  const article = page.getByRole("article", { name: claim.hostname });
  const looking = await hold(page, "**/check", "POST", { answered: true });
  await article.getByRole("button", { name: "Check now" }).click();
  await looking.arrived;
  await article.getByRole("button", { name: `Remove ${claim.hostname}` }).click();
  await page.getByRole("button", { name: "Remove domain" }).click();
  await page.getByText("No custom domains yet").waitFor();
  const answered = page.waitForResponse("**/check");
  await looking.release();
  await (await answered).finished();
  await page.getByText("Inactive domains (1)").waitFor();
  expect(await article.count()).toBe(0);
});

test("a removed domain disappears while the domains are still loading, and comes back as ended", async () => {
  await makeSite("stall");
  const claim = await vitrine.claim(ada, "stall", "www.stall.example");
  const { page } = await open();
  await show(page, "/dashboard/sites/stall/domains");
  await page.getByRole("button", { name: `Remove ${claim.hostname}` }).click();
  const listing = await hold(page, "**/sites/stall/domains", "GET");
  await page.getByRole("button", { name: "Remove domain" }).click();
  await page.getByText(`${claim.hostname} was removed.`).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByText("No custom domains yet").waitFor();
  await listing.release();
  await page.getByText("Inactive domains (1)").waitFor();
});

test("a domain that was removed elsewhere is shown as ended after the next reload", async () => {
  await makeSite("mall");
  const claim = await vitrine.claim(ada, "mall", "ended.mall.example");
  const { page } = await open();
  await show(page, "/dashboard/sites/mall/domains");
  const article = page.getByRole("article", { name: claim.hostname });
  await article.waitFor();
  await vitrine.call("DELETE", `/sites/mall/domains/${claim.id}`, { token: ada });
  // The page also checks a pending claim by itself every ten seconds, which may come first.
  const ended = page.getByText("No custom domains yet");
  await article.getByRole("button", { name: "Check now" }).or(ended).first().click();
  await ended.waitFor();
});

test("the dialog of an irreversible action stays open while it runs, and its error is shown on another page", async () => {
  await makeSite("doomed");
  const { page } = await open();
  await show(page, "/");
  await page.getByRole("link", { name: "doomed" }).click();
  await openSettings(page, "Danger zone");
  const ask = async () => {
    await page.getByRole("button", { name: "Delete doomed" }).click();
    await page.getByLabel("Type doomed to confirm").fill("doomed");
    await page.getByRole("button", { name: "Delete site" }).click();
  };
  const failing = Promise.withResolvers<void>();
  await page.route("**/sites/doomed", async (route) => {
    await failing.promise;
    await route.fulfill({ status: 503, json: { detail: "service unavailable" } });
  });
  await ask();
  expect(await page.getByRole("button", { name: "Cancel" }).getAttribute("aria-disabled")).toBe("true");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor();
  await page.goBack();
  failing.resolve();
  await page.locator(".toast.bad").getByText("Service unavailable").waitFor();

  // When it completes, the user stays on the page where they are.
  await page.unroute("**/sites/doomed");
  await openSettings(page, "Danger zone");
  const deleting = await hold(page, "**/sites/doomed", "DELETE");
  await ask();
  await deleting.arrived;
  await page.goBack();
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Account" }).click();
  await deleting.release();
  await page.getByText("doomed was deleted.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/account");
});

test("text that is typed during a request stays, also after the form was opened again", async () => {
  await makeSite("typing");
  const { page } = await open();
  await show(page, "/dashboard/sites/typing/tokens");
  const name = page.getByLabel("Name");
  const create = async (text: string) => {
    const creating = await hold(page, "**/tokens", "POST");
    await name.fill(text);
    await page.getByRole("button", { name: "Create token" }).click();
    await creating.arrived;
    return creating;
  };
  const first = await create("first");
  await name.fill("typed meanwhile");
  await first.release();
  await page.getByRole("heading", { name: "first", exact: true }).first().waitFor();
  expect(await name.inputValue()).toBe("typed meanwhile");
  await page.unrouteAll();

  const second = await create("second");
  await page.getByRole("link", { name: "Analytics" }).click();
  await openSettings(page, "CI access");
  await name.waitFor();
  await second.release();
  await page.getByRole("heading", { name: "second", exact: true }).first().waitFor();
  expect(await name.inputValue()).toBe("");
  await page.unrouteAll();

  const refusal = Promise.withResolvers<void>();
  await page.route("**/tokens", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await refusal.promise;
    await route.fulfill({ status: 503, json: { detail: "service unavailable" } });
  });
  await name.fill("third");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("link", { name: "Analytics" }).click();
  await page.getByText("No views yet").waitFor();
  refusal.resolve();
  await page.locator(".toast.bad").getByText("Service unavailable").waitFor();
  await openSettings(page, "CI access");
  expect(await name.inputValue()).toBe("third");
});

test("every token is shown until it is dismissed", async () => {
  await makeSite("minted");
  const { page } = await open();
  await show(page, "/dashboard/sites/minted/tokens");
  for (const name of ["one", "two"]) {
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("button", { name: `Done, I've copied it (token ${name})` }).waitFor();
  }
  expect(await page.getByText(/^vtd_/).count()).toBe(2);
  await page.getByRole("button", { name: "Done, I've copied it (token two)" }).click();
  await page.getByRole("button", { name: "Done, I've copied it (token two)" }).waitFor({ state: "detached" });
  expect(await page.getByText(/^vtd_/).count()).toBe(1);
});

test("the choices for a webhook and the text of a policy survive a reload", async () => {
  await makeSite("reloaded");
  const { page } = await open();
  await show(page, "/dashboard/sites/reloaded/webhooks");
  await page.getByLabel("Site deleted").uncheck();
  await page.reload();
  await page.getByLabel("Site deleted").waitFor();
  expect(await page.getByLabel("Site deleted").isChecked()).toBe(false);
  expect(await page.getByLabel("Domain connected").isChecked()).toBe(true);

  await show(page, "/dashboard/sites/reloaded/settings/retention");
  await page.getByLabel("Deployments to keep").fill("7");
  await page.reload();
  await page.getByLabel("Deployments to keep").waitFor();
  expect(await page.getByLabel("Deployments to keep").inputValue()).toBe("7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Set for this site").waitFor();
  await vitrine.call("PUT", "/sites/reloaded/retention", { token: ada, json: { keep_last: 9, keep_days: null } });
  await page.reload();
  await page.getByLabel("Deployments to keep").waitFor();
  expect(await page.getByLabel("Deployments to keep").inputValue()).toBe("9");

  // A value that was typed and restored is not a change.
  await page.getByLabel("Deployments to keep").fill("8");
  await page.getByLabel("Deployments to keep").fill("9");
  await vitrine.call("PUT", "/sites/reloaded/retention", { token: ada, json: { keep_last: 11, keep_days: null } });
  await page.reload();
  await page.getByLabel("Deployments to keep").waitFor();
  expect(await page.getByLabel("Deployments to keep").inputValue()).toBe("11");
});

test("event types that are chosen while a webhook is added stay for the next one", async () => {
  await makeSite("choosing");
  const { page } = await open();
  await show(page, "/dashboard/sites/choosing/webhooks");
  await page.getByLabel("Endpoint URL").fill("https://hooks.example.org/one");
  await page.getByLabel("Site deleted").uncheck();
  const adding = await hold(page, "**/sites/choosing/webhooks", "POST");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await adding.arrived;
  await page.getByLabel("Domain connected").uncheck();
  await adding.release();
  await page.getByLabel("Endpoint URL").and(page.locator(":placeholder-shown")).waitFor();
  expect(await page.getByLabel("Domain connected").isChecked()).toBe(false);
  expect(await page.getByLabel("Site deleted").isChecked()).toBe(false);
});

test("a new site has no text that was typed for a deleted site of the same name", async () => {
  await makeSite("renewed", "private");
  const { page } = await open();
  const fields = [
    ["settings/webhooks", "Endpoint URL"],
    ["explain", "URL or path"],
    ["settings/tokens", "Name"],
    ["settings/domains", "Domain"],
    ["settings", "Login"],
    ["settings/retention", "Deployments to keep"],
    ["settings/retention", "Days to keep"],
  ] as const;
  for (const [tab, label] of fields) {
    await show(page, `/dashboard/sites/renewed/${tab}`);
    await page.getByLabel(label).fill("5");
  }
  await openSettings(page, "Danger zone");
  await page.getByRole("button", { name: "Delete renewed" }).click();
  await page.getByLabel("Type renewed to confirm").fill("renewed");
  await page.getByRole("button", { name: "Delete site" }).click();
  await page.getByText("renewed was deleted.").waitFor();
  expect(await page.evaluate<string[]>("Object.keys(sessionStorage)")).toEqual([]);
});

test("a change that completes after its list was unloaded appears in the new list", async () => {
  for (const access of ["private", undefined]) await makeSite("forgetful", access);
  const hook = { url: "https://hooks.example.org/one" };
  expect((await vitrine.call("POST", "/sites/forgetful/webhooks", { token: ada, json: hook })).status).toBe(201);
  const { page } = await open();
  await show(page, "/dashboard/sites/forgetful/access");
  await openSettings(page, "Webhooks");
  await page.getByRole("button", { name: `Delete ${hook.url}` }).click();
  const removing = await hold(page, "**/webhooks/*", "DELETE");
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await removing.arrived;
  await page.goBack();
  await page.getByText("No readers yet").waitFor();
  await page.getByLabel("Login").fill("grace");
  const adding = await hold(page, "**/access/readers", "POST");
  await page.getByRole("button", { name: "Add reader" }).click();
  await adding.arrived;
  await page.getByRole("link", { name: "Deployments" }).click();
  await goLive(page, 1);
  await page.getByText("Deployment 1 is live.").waitFor();

  await openSettings(page, "Access");
  await page.getByText("No readers yet").waitFor();
  await adding.release();
  await page.getByRole("button", { name: "Remove grace" }).waitFor();
  await openSettings(page, "Webhooks");
  await page.getByRole("button", { name: `Delete ${hook.url}`, exact: true }).waitFor();
  await removing.release();
  await page.getByText("No webhooks yet").waitFor();
});

test("a refusal that was closed, or resolved by a later success, is not shown again", async () => {
  await makeSite("insisting");
  const { page } = await open();
  await show(page, "/dashboard/sites/insisting/settings/danger");
  await page.getByRole("button", { name: "Delete insisting" }).waitFor();
  const looking = await hold(page, "**/sites/insisting/domains", "GET");
  let refusals = 0;
  await page.route("**/sites/insisting", (route) =>
    route.request().method() === "DELETE" && refusals++ < 2
      ? route.fulfill({ status: 409, json: { detail: "not yet" } })
      : route.fallback(),
  );
  const ask = () => page.getByRole("button", { name: "Delete insisting" }).click();
  const confirm = async () => {
    await page.getByLabel("Type insisting to confirm").fill("insisting");
    await page.getByRole("button", { name: "Delete site" }).click();
  };
  await ask();
  await confirm();
  await page.getByRole("alert").getByText("Not yet").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await ask();
  await confirm();
  await page.getByRole("alert").getByText("Not yet").waitFor();
  await confirm();
  await page.getByText("insisting was deleted.").waitFor();
  await expectNoToastAfter(page, looking, "**/sites/insisting/domains");
});

test("a refusal that does not depend on other windows shows without a reload", async () => {
  await makeSite("impatient");
  const { page } = await open();
  await show(page, "/dashboard/sites/impatient/tokens");
  await page.getByText("No tokens yet").waitFor();
  const looking = await hold(page, "**/tokens", "GET");
  for (const status of [403, 422]) {
    await page.route("**/tokens", (route) =>
      route.request().method() === "GET"
        ? route.fallback()
        : route.fulfill({ status, json: { detail: `refused with ${status}` } }),
    );
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("alert").getByText(`Refused with ${status}`).waitFor();
  }
  await page.getByRole("link", { name: "Analytics" }).click();
  await page.getByText("No views yet").waitFor();
  await expectNoToastAfter(page, looking, "**/tokens");
});

test("a rule that is restored while it is being saved stays as typed", async () => {
  await makeSite("hesitant");
  await vitrine.call("PUT", "/sites/hesitant/retention", { token: ada, json: { keep_last: 3, keep_days: 30 } });
  const { page } = await open();
  await show(page, "/dashboard/sites/hesitant/settings/retention");
  const [last, days] = [page.getByLabel("Deployments to keep"), page.getByLabel("Days to keep")];
  await last.fill("5");
  await days.fill("50");
  const saving = await hold(page, "**/sites/hesitant/retention", "PUT");
  await page.getByRole("button", { name: "Save" }).click();
  await saving.arrived;
  await last.fill("3");
  await days.fill("30");
  await saving.release();
  await page.locator(".toast").getByText("the newest 5 deployments").waitFor();
  expect([await last.inputValue(), await days.inputValue()]).toEqual(["3", "30"]);
});

test("undoing a roll-back restores the deployment that was live before, whoever published it", async () => {
  for (let version = 1; version <= 5; version++) await makeSite("rolling");
  const live = async () => (await vitrine.store.sites.find("rolling"))?.activeDeployment;
  const { page } = await open();
  await show(page, "/dashboard/sites/rolling/deployments");
  await page.getByText("#5", { exact: true }).waitFor();
  await makeSite("rolling");
  const rollBack = async (number: number) => {
    await goLive(page, number);
    await page.getByText(`Deployment ${number} is live.`).waitFor();
  };
  await rollBack(3);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Deployment 6 is live.").waitFor();
  expect(await live()).toBe(6);
  await liveRow(page).getByText("#6", { exact: true }).waitFor();

  await rollBack(4);
  await liveRow(page).getByText("#4", { exact: true }).waitFor();
  await vitrine.call("POST", "/sites/rolling/deployments/5/activate", { token: ada });
  await rollBack(2);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByText("Deployment 5 is live.").waitFor();
  expect(await live()).toBe(5);
});

test("a roll-back of a site that was deleted elsewhere shows that the site does not exist", async () => {
  for (let version = 1; version <= 2; version++) await makeSite("vanished");
  const { page } = await open();
  await show(page, "/dashboard/sites/vanished");
  const activating = await hold(page, "**/activate", "POST");
  await goLive(page, 1);
  await activating.arrived;
  await vitrine.call("DELETE", "/sites/vanished", { token: ada });
  await activating.release();
  await page.getByText("You have no site named").waitFor();
});

test("a completed change is confirmed and shown while the list is still loading", async () => {
  await makeSite("prompt", "private");
  await vitrine.call("POST", "/sites/prompt/access/readers", { token: ada, json: { provider_login: "grace" } });
  const hook = { url: "https://hooks.example.org/one" };
  await vitrine.call("POST", "/sites/prompt/webhooks", { token: ada, json: hook });
  const { page } = await open();
  await show(page, "/dashboard/sites/prompt/access");
  const remove = page.getByRole("button", { name: "Remove grace" });
  await remove.waitFor();
  await hold(page, "**/access/readers", "GET");
  await remove.click();
  await page.getByText("grace can no longer open prompt.").waitFor();
  await page.getByText("No readers yet").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await remove.waitFor();

  await show(page, "/dashboard/sites/prompt/webhooks");
  const [off, on] = ["Disable", "Enable"].map((way) => page.getByRole("button", { name: `${way} ${hook.url}` }));
  await off?.waitFor();
  await hold(page, "**/sites/prompt/webhooks", "GET");
  await off?.click();
  await page.getByText("is disabled.").waitFor();
  await on?.waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await off?.waitFor();

  await show(page, "/dashboard/sites/prompt/settings/retention");
  await page.getByLabel("Deployments to keep").fill("7");
  await hold(page, "**/sites/prompt/retention", "GET");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Set for this site.").waitFor();
  await page.locator(".toast").getByText("the newest 7 deployments").waitFor();
});
