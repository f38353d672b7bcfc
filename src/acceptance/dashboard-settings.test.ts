import { expect } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { hold, watchFor } from "./testing/chromium.ts";
import { chooseAction, openSettings, show, withoutEvents } from "./testing/dashboard.ts";
import { type Receiver, startReceiver, verify } from "./testing/receiver.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { test, beforeAll, afterAll, vitrine, ada, open, share } = await browserStories(() =>
  startTestServer({ "allow-private-webhooks": "on" }),
);

let receiver: Receiver;

beforeAll(async () => {
  receiver = startReceiver();
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "demo" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>live</h1>" }), { site: "shop" });
  const headers = { "X-Service-Alias": "pr-1", "X-Service-Message": "A%20new%20till", "X-Service-Expires": "20h" };
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>draft</h1>" }), { site: "shop", headers });
});
afterAll(async () => {
  await receiver?.stop();
});

test("a webhook is added, tested, redelivered, disabled and removed", async () => {
  const { page, context, errors } = await share();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await show(page, "/dashboard/sites/demo/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByLabel("Endpoint URL").fill(receiver.url);
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByText("Choose at least one event.").waitFor();
  await page.getByLabel("Site deleted").check();
  await page.getByLabel("Domain connected").check();
  await page.getByRole("button", { name: "Add webhook" }).click();

  const secret = (await page.getByText(/^whsec_/).textContent()) ?? "";
  const copied = await watchFor(page, ".copy", "Copied");
  await page.getByRole("button", { name: "Copy the secret" }).click();
  await copied();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(secret);
  await page.getByText("Site deleted, Domain connected").waitFor();

  receiver.respond = () => new Response(null, { status: 500 });
  await page.getByRole("button", { name: `Send test ${receiver.url}` }).click();
  await page.getByText("Test: delivery failed, responded with 500.").waitFor();
  expect(await page.getByText("Sending …").count()).toBe(0);
  await page.getByText(`Deliveries to ${receiver.url}`).click();
  await page.getByText("Failed", { exact: true }).waitFor();

  receiver.respond = () => new Response(null, { status: 204 });
  await page.getByRole("button", { name: "Redeliver Test" }).click();
  await page.getByText(/^Test: delivered, status 204 in \d+ ms\.$/).waitFor();
  await page.getByText("Delivered", { exact: true }).waitFor();
  for (const got of receiver.received) verify(secret, got, vitrine.clock.now());

  await page.getByRole("button", { name: `Disable ${receiver.url}` }).click();
  await page.getByText("disabled: disabled by its owner").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: `Disable ${receiver.url}` }).waitFor();

  await page.reload();
  await page.getByRole("button", { name: `Rotate secret ${receiver.url}` }).click();
  expect(await page.getByText(/^whsec_/).count()).toBe(0);
  await page.getByRole("button", { name: "Rotate secret", exact: true }).click();
  expect(await page.getByText(/^whsec_/).textContent()).not.toBe(secret);

  await page.getByRole("button", { name: `Delete ${receiver.url}` }).click();
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await page.getByText("No webhooks yet").waitFor();
  expect(errors).toEqual([]);
});

test("secrets of a deleted site are not shown for a new site of its name", async () => {
  const archive = await zipOf({ "index.html": "hello" });
  await vitrine.deploy(ada, archive, { site: "anew" });
  const { page } = await share();
  await show(page, "/dashboard/sites/anew/tokens");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/^vtd_/).waitFor();
  await openSettings(page, "Webhooks");
  await page.getByLabel("Endpoint URL").fill(receiver.url);
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByText(/^whsec_/).waitFor();
  await openSettings(page, "CI access");
  await page.getByText(/^vtd_/).waitFor();

  expect((await vitrine.call("DELETE", "/sites/anew", { token: ada })).status).toBe(204);
  await vitrine.deploy(ada, archive, { site: "anew" });
  await openSettings(page, "Webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByText(/^whsec_/).waitFor({ state: "detached" });
  await openSettings(page, "CI access");
  await page.getByText("No tokens yet").waitFor();
  await page.getByText(/^vtd_/).waitFor({ state: "detached" });
});

test("an error of the server is shown in the form, and the input stays", async () => {
  const { page } = await share();
  await show(page, "/dashboard/sites/demo/webhooks");
  await page.getByLabel("Endpoint URL").fill("ftp://hooks.example.org/");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByRole("alert").getByText("must begin with https:// or http://").waitFor();
  expect(await page.getByLabel("Endpoint URL").inputValue()).toBe("ftp://hooks.example.org/");
});

test("webhooks that cannot be loaded show an error and are retried", async () => {
  const { page } = await open();
  const sick = { status: 503, json: { detail: "service unavailable" } };
  await page.route("**/sites/demo/webhooks", (route) => route.fulfill(sick));
  await page.goto("/dashboard/sites/demo/tokens");
  await openSettings(page, "Webhooks");
  await page.getByText("Could not load the webhooks").waitFor();
  await page.unroute("**/sites/demo/webhooks");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No webhooks yet").waitFor();
});

test("a secret that has left the list does not come back when the list fails", async () => {
  const archive = await zipOf({ "index.html": "hello" });
  await vitrine.deploy(ada, archive, { site: "leaky" });
  const { page } = await share();
  await show(page, "/dashboard/sites/leaky/tokens");
  await page.getByLabel("Name").fill("CI");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/^vtd_/).waitFor();
  await page.getByRole("button", { name: "Revoke CI" }).waitFor();
  const tokens = (await (await vitrine.call("GET", "/tokens", { token: ada })).json()) as Record<string, string>[];
  const made = tokens.find(({ site_name }) => site_name === "leaky");
  expect((await vitrine.call("DELETE", `/tokens/${made?.id}`, { token: ada })).status).toBe(204);
  await openSettings(page, "Access");
  await openSettings(page, "CI access");
  await page.getByText("No tokens yet").waitFor();
  await page.getByText(/^vtd_/).waitFor({ state: "detached" });
  await openSettings(page, "Access");
  await page.route("**/tokens", (route) => route.fulfill({ status: 503, json: { detail: "service unavailable" } }));
  await openSettings(page, "CI access");
  await page.getByText("Could not refresh the tokens").waitFor();
  expect(await page.getByText(/^vtd_/).count()).toBe(0);
});

test("a secret stays while its list is loading and changes", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "crowded" });
  const json = { site_name: "crowded", name: "old" };
  await vitrine.call("POST", "/tokens", { token: ada, json });
  const { page } = await share();
  await show(page, "/dashboard/sites/crowded/access");
  await openSettings(page, "CI access");
  await page.getByRole("button", { name: "Revoke old" }).click();
  const revoking = await hold(page, "**/tokens/*", "DELETE");
  await page.getByRole("button", { name: "Revoke token" }).click();
  await revoking.arrived;
  await page.goBack();
  await openSettings(page, "CI access");
  await page.getByLabel("Name").fill("new");
  const listing = await hold(page, "**/tokens", "GET");
  await page.getByRole("button", { name: "Create token" }).click();
  await listing.arrived;
  await page.getByText(/^vtd_/).waitFor();
  await revoking.release();
  await page.getByText("old was revoked.").waitFor();
  await listing.release();
  await page.getByRole("button", { name: "Revoke new" }).waitFor();
  expect(await page.getByText(/^vtd_/).count()).toBe(1);
});

test("nothing of a deleted site, including late responses, is shown for the next site of its name", async () => {
  const archive = await zipOf({ "index.html": "hello" });
  await vitrine.deploy(ada, archive, { site: "phoenix" });
  const { page } = await open();
  await withoutEvents(page);
  await page.goto("/dashboard/sites/phoenix/webhooks");
  const add = async (url: string) => {
    await page.getByLabel("Endpoint URL").fill(url);
    await page.getByRole("button", { name: "Add webhook" }).click();
  };
  await add("https://hooks.example.org/first");
  await page.getByText(/^whsec_/).waitFor();
  const adding = await hold(page, "**/sites/phoenix/webhooks", "POST", { answered: true });
  await add("https://hooks.example.org/second");
  await adding.arrived;
  expect((await vitrine.call("DELETE", "/sites/phoenix", { token: ada })).status).toBe(204);
  await page.getByRole("link", { name: "Analytics" }).click();
  await page.getByText("You have no site named").waitFor();
  // An effect, which runs after the page was drawn, removes the drafts.
  while (await page.evaluate<boolean>("sessionStorage.length > 0")) await page.waitForTimeout(20);
  await adding.release();
  await page.unrouteAll();

  await vitrine.deploy(ada, archive, { site: "phoenix" });
  await page.getByRole("link", { name: "Sites", exact: true }).first().click();
  await page.getByRole("link", { name: "phoenix" }).click();
  const listing = await hold(page, "**/sites/phoenix/webhooks", "GET");
  await openSettings(page, "Webhooks");
  await listing.arrived;
  await page.getByLabel("Endpoint URL").waitFor();
  expect(await page.getByText(/^whsec_/).count()).toBe(0);
});

test("a secret is removed permanently once its list is not found", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "fading" });
  const { page } = await share();
  await show(page, "/dashboard/sites/fading/webhooks");
  await page.getByLabel("Endpoint URL").fill("https://hooks.example.org/");
  await page.getByRole("button", { name: "Add webhook" }).click();
  const secret = page.getByText(/^whsec_/);
  await secret.waitFor();
  const responses: [status: number, secrets: number][] = [
    [503, 1],
    [404, 0],
    [503, 0],
  ];
  for (const [status, secrets] of responses) {
    await page.getByRole("link", { name: "Analytics" }).click();
    await page.route("**/sites/fading/webhooks", (route) =>
      route.fulfill({ status, json: { detail: `answered ${status}` } }),
    );
    await openSettings(page, "Webhooks");
    await page.getByText(`Could not refresh the webhooks. Answered ${status}`).waitFor();
    expect(await secret.count()).toBe(secrets);
  }
});

test("an alias is set, moved and removed from a deployment's menu", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/shop/deployments");
  const row = page.getByRole("row", { name: /A new till/ });
  await row.getByText("Expires in 20 hours").waitFor();
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
  await page.getByText("The alias stable was removed.").waitFor();
  expect((await vitrine.visit("stable--shop")).status).toBe(404);
  await page.getByRole("button", { name: "Undo" }).last().click();
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
  const link = (await page.getByText(/enter\?share=vtv_/).textContent()) ?? "";
  await page.getByRole("button", { name: "QR code" }).click();
  await page.getByRole("img", { name: "QR code of the link" }).waitFor();
  const { page: visit } = await open(null);
  await visit.goto(link);
  await visit.getByRole("heading", { name: "draft", exact: true }).waitFor();

  await page.getByRole("button", { name: "Done, I've copied it (share The client)" }).click();
  await page.getByText("Password", { exact: true }).click();
  await page.getByLabel("Label").fill("The printer");
  await page.getByLabel("Password", { exact: true }).last().fill("correct horse");
  await page.getByRole("button", { name: "Create share" }).click();
  await page.getByText("Send the link and the password by different ways.").waitFor();

  await page.getByRole("button", { name: "Revoke The client" }).click();
  await page.getByRole("button", { name: "Revoke share" }).click();
  await page.getByText("The share The client was revoked.").waitFor();
  await visit.reload();
  await visit.getByRole("heading", { name: "draft", exact: true }).waitFor({ state: "detached" });
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
});
