import { expect } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { chooseAction, openSettings, show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open, share } = await browserStories();

beforeAll(async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>live</h1>" }), { site: "shop" });
  const headers = { "X-Service-Alias": "pr-1", "X-Service-Message": "A%20new%20till", "X-Service-Expires": "20h" };
  await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>draft</h1>" }), { site: "shop", headers });
});

test("an alias is set, moved and removed from a deployment's menu", async () => {
  const { page, errors } = await share();
  await show(page, "/dashboard/sites/shop/deployments");
  const row = page.getByRole("row", { name: /A new till/ });
  await row.getByText("Expires in 19 hours").waitFor();
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
  await page.getByText("Previews: You, readers and shares.").waitFor();
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
  await page.getByRole("dialog").getByText(`VITRINE_SERVER: ${vitrine.baseUrl}`).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Actions for octo/shop" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete publisher" }).click();
  await page.getByText("No publishers yet.").waitFor();
});
