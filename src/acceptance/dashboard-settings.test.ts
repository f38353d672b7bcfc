import { expect } from "bun:test";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { unroute, watchFor } from "./testing/chromium.ts";
import { chooseAction, openSettings, show } from "./testing/dashboard.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { scratchFolder } from "./testing/executable.ts";
import { type Receiver, startReceiver, verify } from "./testing/receiver.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, afterAll, vitrine, ada, open, share } = await browserStories(() =>
  startDomainsServer({ "allow-private-webhooks": "on" }),
);

let receiver: Receiver;

beforeAll(async () => {
  receiver = startReceiver();
  for (const site of ["demo", "anew", "kept", "kept", "shared", "automated", "unwanted"]) {
    await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site });
  }
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>live</h1>" }), { site: "shop" });
  const headers = { "X-Service-Alias": "pr-1", "X-Service-Message": "A%20new%20till", "X-Service-Expires": "20h" };
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>draft</h1>" }), { site: "shop", headers });
});
afterAll(async () => {
  await receiver?.stop();
});

test("a webhook is added, tested, redelivered, disabled and removed", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/demo/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  const url = page.getByLabel("Endpoint URL");
  await url.fill("ftp://hooks.example.org/");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByRole("alert").getByText("must begin with https:// or http://").waitFor();
  expect(await url.inputValue()).toBe("ftp://hooks.example.org/");
  await url.fill(receiver.url);
  await page.getByLabel("Site deleted").uncheck();
  await page.getByRole("button", { name: "Add webhook" }).click();
  const shownSecret = page.getByText(/^whsec_/);
  const secret = (await shownSecret.textContent()) ?? "";
  const [hook] = (await (await vitrine.call("GET", "/sites/demo/webhooks", { token: ada })).json()) as Hook[];
  expect(hook?.events).toContain("domain.connected");
  expect(hook?.events).not.toContain("site.deleted");

  receiver.respond = () => new Response(null, { status: 500 });
  await page.getByRole("button", { name: `Send test ${receiver.url}` }).click();
  await page.getByText("Test: delivery failed, responded with 500.").waitFor();
  await page.getByText(`Deliveries to ${receiver.url}`).click();
  // The report of the deployment may be delivered meanwhile, in a row of its own.
  await page.getByRole("heading", { name: "Test Failed" }).waitFor();
  receiver.respond = () => new Response(null, { status: 204 });
  await page.getByRole("button", { name: "Redeliver Test" }).click();
  await page.getByText(/^Test: delivered, status 204 in \d+ ms\.$/).waitFor();
  await page.getByRole("heading", { name: "Test Delivered" }).waitFor();
  for (const got of receiver.received) verify(secret, got, vitrine.clock.now());

  await page.getByRole("button", { name: `Disable ${receiver.url}` }).click();
  await page.getByText("disabled: disabled by its owner").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: `Disable ${receiver.url}` }).waitFor();

  await page.getByRole("button", { name: /^Done, I've copied it/ }).click();
  await shownSecret.waitFor({ state: "detached" });
  await page.getByRole("button", { name: `Rotate secret ${receiver.url}` }).click();
  await page.getByRole("button", { name: "Rotate secret", exact: true }).click();
  expect(await shownSecret.textContent()).not.toBe(secret);
  await page.getByRole("button", { name: `Delete ${receiver.url}` }).click();
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await page.getByText("No webhooks yet").waitFor();
  // The refusal of the URL, and 404 if the deliveries were just being loaded again.
  expect(errors.filter((text) => !/404|422/.test(text))).toEqual([]);
});

interface Hook {
  readonly events: readonly string[];
}

test("a one-time secret stays until it is revoked, and is not shown for a new site of the name", async () => {
  const { page } = await share();
  const [token, secret] = [page.getByText(/^vtd_/), page.getByText(/^whsec_/)];
  await show(page, "/dashboard/sites/anew/tokens");
  await page.getByRole("button", { name: "Create token" }).click();
  await token.waitFor();
  await page.getByRole("button", { name: /^Revoke / }).waitFor();
  await openSettings(page, "Webhooks");
  await page.getByLabel("Endpoint URL").fill("https://hooks.example.org/");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await secret.waitFor();
  await openSettings(page, "CI access");
  await token.waitFor();

  const [made] = (await (await vitrine.call("GET", "/tokens", { token: ada })).json()) as { id: string }[];
  expect((await vitrine.call("DELETE", `/tokens/${made?.id}`, { token: ada })).status).toBe(204);
  await token.waitFor({ state: "detached" });

  expect((await vitrine.call("DELETE", "/sites/anew", { token: ada })).status).toBe(204);
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "anew" });
  await show(page, "/dashboard/sites/anew/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await secret.waitFor({ state: "detached" });
});

test("an alias is set, moved and removed from a deployment's menu", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/shop/deployments");
  await page
    .getByRole("row", { name: /A new till/ })
    .getByText("Expires in 20 hours")
    .waitFor();
  const dialog = page.getByRole("dialog");
  await chooseAction(page, 1, "Set alias…");
  await dialog.getByLabel("Alias").fill("stable");
  await dialog.getByLabel("Expires after").selectOption("");
  await dialog.getByRole("button", { name: "Set alias" }).click();
  await page.getByText("stable points to deployment 1.").waitFor();
  expect(await (await vitrine.visit("stable--shop")).text()).toBe("<h1>live</h1>");

  await chooseAction(page, 2, "Aliases…");
  await dialog.getByLabel("Alias").fill("stable");
  await dialog.getByText("stable points to #1 now, and moves here.").waitFor();
  await dialog.getByRole("button", { name: "Move alias" }).click();
  await page.getByText("stable points to deployment 2.").waitFor();
  expect(await (await vitrine.visit("stable--shop")).text()).toBe("<h1>draft</h1>");

  await chooseAction(page, 2, "Aliases…");
  await dialog.getByRole("button", { name: "Remove stable" }).click();
  const removed = page.locator(".toast", { hasText: "The alias stable was removed." });
  await removed.waitFor();
  expect((await vitrine.visit("stable--shop")).status).toBe(404);
  await removed.getByRole("button", { name: "Undo" }).click();
  await page.getByText("stable points to deployment 2 again.").waitFor();
  expect(errors).toEqual([]);
});

test("previews are made private, and one is shared with a link and a password", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/shop/settings/shares");
  await page.getByText("Everybody can open this site and its previews").waitFor();
  await openSettings(page, "Access");
  await page.getByLabel("Who can open them").selectOption("private");
  await page.getByText("Previews: Members, readers and shares.").waitFor();
  expect(await (await vitrine.visit("pr-1--shop")).text()).not.toContain("draft");

  await page.getByRole("link", { name: "Deployments", exact: true }).click();
  await chooseAction(page, 2, "Share…");
  expect(await page.getByLabel("Target").inputValue()).toBe("alias:pr-1");
  await page.getByLabel("Label").fill("The client");
  await page.getByRole("button", { name: "Create share" }).click();
  const link = new URL((await page.getByText(/enter\?share=vtv_/).textContent()) ?? "");
  expect(link.origin).toBe(vitrine.siteUrl("pr-1--shop"));
  await page.getByRole("button", { name: "QR code" }).click();
  await page.getByRole("img", { name: "QR code of the link" }).waitFor();
  const entered = await vitrine.visit("pr-1--shop", link.pathname + link.search);
  const headers = { cookie: entered.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
  const visit = async () => (await vitrine.visit("pr-1--shop", "/", { headers })).text();
  expect(await visit()).toBe("<h1>draft</h1>");

  await page.getByRole("button", { name: "Done, I've copied it (share The client)" }).click();
  await page.getByText("Password", { exact: true }).click();
  await page.getByLabel("Label").fill("The printer");
  await page.getByRole("textbox", { name: "Password", exact: true }).fill("correct horse");
  await page.getByRole("button", { name: "Create share" }).click();
  await page.getByText("Send the link and the password by different ways.").waitFor();

  await page.getByRole("button", { name: "Revoke The client" }).click();
  await page.getByRole("button", { name: "Revoke share" }).click();
  await page.getByText("The share The client was revoked.").waitFor();
  expect(await visit()).not.toContain("draft");
  expect(errors).toEqual([]);
});

test("a publisher is added with its workflow, and deleted", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/shop/settings/tokens");
  await page.getByRole("button", { name: "Add publisher" }).click();
  await page.getByLabel("Repository").fill("octo/shop");
  await page.getByLabel("Branch").fill("");
  await page.getByRole("button", { name: "Add this publisher" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Environment (optional)").fill("production");
  await page.getByText("environment: production").waitFor();
  await page.getByRole("button", { name: "Add this publisher" }).click();
  await page.getByText("GitHub, environment production").waitFor();
  await page.getByRole("button", { name: "Actions for octo/shop" }).click();
  await page.getByRole("menuitem", { name: "Workflow file" }).click();
  await page.getByRole("dialog").getByText(`npx ${vitrine.baseUrl}/vitrine.tgz deploy`).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Actions for octo/shop" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete publisher" }).click();
  await page.getByText("No publishers yet.").waitFor();
  expect(await (await vitrine.call("GET", "/sites/shop/publishers", { token: ada })).json()).toEqual([]);
});

test("a deployment is pinned in the history, and a policy is set after a preview of its effect", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/kept");
  await chooseAction(page, 1, "Pin");
  await page.getByText("Deployment 1 is pinned.").waitFor();
  await page.getByText("Pinned", { exact: true }).waitFor();
  await chooseAction(page, 1, "Unpin");
  await page.getByText("Deployment 1 is unpinned.").waitFor();

  // Retention spares deployments that visitors may have open. This is the server's response a week later.
  await page.route(/\/retention\/preview\?/, (route) =>
    route.fulfill({ json: { deployments: [2, 3], bytes: 2_516_582 } }),
  );
  await openSettings(page, "Retention");
  await page.getByText("All deployments are kept.").waitFor();
  const grace = page.getByLabel("Grace period in days");
  expect(await grace.getAttribute("placeholder")).toBe("7 (server default)");
  await page.getByLabel("Deployments to keep").fill("none");
  await page.getByText("Enter whole numbers of 1 or more").waitFor();
  await page.getByLabel("Deployments to keep").fill("2");
  await grace.fill("30");
  await page.getByText("2 deployments will be deleted within an hour, freeing 2.4 MiB.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Set for this site.").waitFor();
  const { policy } = (await (await vitrine.call("GET", "/sites/kept/retention", { token: ada })).json()) as Kept;
  expect(policy).toEqual({ keep_last: 2, keep_days: null, grace_days: 30 });
  await page.getByText("With the server default: 2 deployments will be deleted").waitFor();
  await page.getByRole("button", { name: "Use server default" }).click();
  await page.getByText("This is the server default.").waitFor();
  expect(errors).toEqual([]);
});

interface Kept {
  readonly policy: unknown;
}

test("access: a refused change is not shown as done, a reader is added and removed, and public needs a confirmation", async () => {
  const { token: grace } = await vitrine.signUp("grace");
  const readable = async () =>
    (await (await vitrine.call("GET", "/shared-sites", { token: grace })).json()) as unknown[];
  const { page } = await share();
  await show(page, "/dashboard/sites/shared/access");
  await page.getByRole("radio", { name: "Public" }).waitFor();
  await page.route("**/sites/shared/access", (route) => route.abort());
  await page.getByText("Private", { exact: true }).click();
  await page.getByText("The server cannot be reached").waitFor();
  expect(await page.getByRole("radio", { name: "Public" }).isChecked()).toBe(true);
  await unroute(page);
  await page.getByText("Private", { exact: true }).click();
  await page.getByText("shared is now private.").waitFor();

  await page.getByLabel("Login").fill("nobody");
  await page.getByText("No user with this login is known here.").waitFor();
  await page.getByLabel("Login").fill("grace");
  await page.getByText("Found grace").waitFor();
  await page.getByRole("button", { name: "Add reader" }).click();
  await page.getByRole("button", { name: "Remove grace" }).waitFor();
  expect(await readable()).toMatchObject([{ name: "shared" }]);
  await page.getByRole("button", { name: "Remove grace" }).click();
  await page.getByText("grace can no longer open shared.").waitFor();
  expect(await readable()).toEqual([]);

  const choosePublic = () => page.getByText("Public", { exact: true }).click();
  const question = page.getByRole("dialog", { name: "Make shared public?" });
  await choosePublic();
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect(await page.getByRole("radio", { name: "Private" }).isChecked()).toBe(true);
  expect((await vitrine.store.sites.find("shared"))?.private).toBe(true);
  await choosePublic();
  await question.getByRole("button", { name: "Make public" }).click();
  await page.getByText("shared is now public.").waitFor();
  expect((await vitrine.store.sites.find("shared"))?.private).toBe(false);
});

needing("browser", "curl").test("a deployment token is shown once and works with curl", async () => {
  const { page, context } = await share();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await show(page, "/dashboard/sites/automated/tokens");
  await page.getByLabel("Name").fill("Nightly");
  await page.getByRole("button", { name: "Create token" }).click();
  const token = await page.getByText(/^vtd_/).textContent();
  const copied = await watchFor(page, ".copy", "Copied");
  await page.getByRole("button", { name: "Copy the token" }).click();
  await copied();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(token ?? "");

  using folder = scratchFolder();
  await Bun.write(join(folder.path, "site.zip"), await zipOf({ "index.html": "by curl" }));
  const command = (await page.getByText("curl http").textContent()) ?? "";
  await Bun.$`sh -c ${command}`
    .cwd(folder.path)
    .env({ ...process.env, VITRINE_TOKEN: token ?? "" })
    .quiet();
  expect(await (await vitrine.visit("automated")).text()).toBe("by curl");

  await page.reload();
  await page.getByRole("button", { name: "Revoke Nightly" }).click();
  expect(await page.getByText(/^vtd_/).count()).toBe(0);
  await page.getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("Nightly was revoked.").waitFor();
  await page.getByText("No tokens yet").waitFor();
});

test("a site is deleted after its name was typed, and then has neither tabs nor an address", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/unwanted/settings/danger");
  await page.getByRole("button", { name: "Delete unwanted" }).click();
  const confirm = page.getByRole("button", { name: "Delete site" });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel("Type unwanted to confirm").fill("unwanted");
  await confirm.click();
  await page.getByText("unwanted was deleted.").waitFor();
  expect((await vitrine.visit("unwanted")).status).toBe(404);
  await show(page, "/dashboard/sites/unwanted/access");
  await page.getByRole("heading", { name: "Site not found", exact: true }).waitFor();
  expect(await page.getByRole("navigation", { name: "unwanted" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Visit" }).count()).toBe(0);
  await page.getByRole("link", { name: "Go to your sites" }).click();
  await page.getByRole("heading", { name: "Sites", exact: true }).waitFor();
});

test("a custom domain is connected step by step, by pressing a button or by waiting, and removed again", async () => {
  const { page, errors } = await open();
  await page.clock.install();
  await page.goto("/dashboard/sites/shop/settings/domains");
  await page.getByText("No custom domains yet").waitFor();
  const field = page.getByLabel("Domain", { exact: true });
  await field.fill("127.0.0.1");
  await page.getByRole("button", { name: "Add domain" }).click();
  await page.getByRole("alert").waitFor();
  expect(await field.inputValue()).toBe("127.0.0.1");
  await field.fill(HOSTNAME);
  await page.getByRole("button", { name: "Add domain" }).click();

  const claim = page.getByRole("article", { name: HOSTNAME });
  const step = claim.locator("[aria-current=step]");
  const check = () => claim.getByRole("button", { name: "Check now" }).click();
  const wait = async () => {
    const checked = page.waitForRequest("**/check");
    await page.clock.fastForward("00:10");
    await checked;
  };
  await step.getByText("Verify ownership").waitFor();
  await claim.getByText(`_vitrine-challenge.${HOSTNAME}`, { exact: true }).waitFor();
  await claim.getByText("127.0.0.1", { exact: true }).waitFor();
  const value = (await step.getByText(/^token=/).textContent()) ?? "";
  await checkUntil(claim.getByText("DNS: TXT record not there yet"), check);

  vitrine.names.zone[`TXT _vitrine-challenge.${HOSTNAME}`] = [value];
  await checkUntil(step.getByText("Point the domain to this server"), wait);
  await claim.getByText("DNS record", { exact: true }).click();
  await claim.getByText(value, { exact: true }).waitFor();
  await step.getByText("127.0.0.1").waitFor();

  vitrine.names.zone[`A ${HOSTNAME}`] = ["127.0.0.1"];
  await checkUntil(claim.locator("header").getByText("Connected"), check);
  expect(await (await vitrine.visitHostname(HOSTNAME)).text()).toBe("<h1>live</h1>");

  await claim.getByRole("button", { name: `Remove ${HOSTNAME}` }).click();
  await page.getByRole("button", { name: "Remove domain" }).click();
  await page.getByText(`${HOSTNAME} was removed.`).waitFor();
  await page.getByText("No custom domains yet").waitFor();
  await page.getByText("Inactive domains (1)").waitFor();
  // The refusal of the address, and 503 for a check whose look-ups exceeded their limits.
  expect(errors.filter((error) => !/400|503/.test(error))).toEqual([]);
});

const HOSTNAME = "www.shop.example";

/** Checks a claim until something shows that the check has told. On a busy machine, look-ups may exceed their limits. */
async function checkUntil(shown: Locator, check: () => Promise<void>): Promise<void> {
  let isShown = false;
  while (!isShown) {
    vitrine.advance(1001);
    await check();
    isShown = await shown.waitFor({ timeout: CHECK_AGAIN_MS }).then(
      () => true,
      () => false,
    );
  }
}
const CHECK_AGAIN_MS = 20_000;
