import { expect } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { dropFiles, hold } from "./testing/chromium.ts";
import { show, withoutEvents } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, vitrine, ada, open, share } = await browserStories();

async function makeSite(site: string): Promise<void> {
  await vitrine.deploy(ada, await zipOf({ "index.html": site }), { site });
}

async function deploymentsOf(site: string): Promise<number> {
  const response = await vitrine.call("GET", `/sites/${site}/deployments`, { token: ada });
  return ((await response.json()) as unknown[]).length;
}

test("an archive named like an existing site warns before publishing that it updates the site", async () => {
  await makeSite("blog");
  const { page, errors } = await share();
  await show(page, "/");
  await page.getByRole("link", { name: "blog" }).waitFor();
  await dropFiles(page, { "blog.zip": await zipOf({ "index.html": "new" }) });
  const update = page.getByRole("dialog", { name: "Update blog" });
  await update.getByRole("status").getByText("You already have a site named blog.").waitFor();
  expect(await update.getByRole("button", { name: "Deploy" }).count()).toBe(0);
  await update.getByLabel("Site name").fill("blog-2");
  await page.getByRole("dialog", { name: "New site" }).getByRole("button", { name: "Deploy" }).waitFor();
  await page.getByLabel("Site name").fill("blog");
  expect(await deploymentsOf("blog")).toBe(1);
  await update.getByRole("button", { name: "Update blog" }).click();
  await page.getByRole("dialog", { name: "blog is live" }).waitFor();
  expect(await deploymentsOf("blog")).toBe(2);
  expect(errors).toEqual([]);
});

test("publishing waits until the check of the name has finished", async () => {
  await makeSite("slow");
  const { page } = await open();
  const listing = await hold(page, "**/sites", "GET");
  await page.goto("/");
  await dropFiles(page, { "slow.zip": await zipOf({ "index.html": "new" }) });
  await page.getByText("Checking whether you have a site of that name").waitFor();
  expect(await page.getByRole("dialog").getByRole("button", { name: "Deploy" }).isDisabled()).toBe(true);
  await listing.release();
  await page.getByRole("button", { name: "Update slow" }).waitFor();
});

test("a site that was created elsewhere meanwhile is not updated as a new one", async () => {
  const { page } = await open();
  // Else the dialog may know of the site before the button is pressed.
  await withoutEvents(page);
  await page.goto("/");
  await dropFiles(page, { "late.zip": await zipOf({ "index.html": "new" }) });
  const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy", disabled: false });
  await deploy.waitFor();
  await makeSite("late");
  await deploy.click();
  await page.getByRole("alert").getByText("You have a site named late by now.").waitFor();
  expect(await deploymentsOf("late")).toBe(1);
  await page.getByRole("button", { name: "Update late" }).waitFor();
});

test("an invalid name says why, and suggests a valid one", async () => {
  const { page } = await share();
  await show(page, "/");
  await dropFiles(page, { "index.html": "new" });
  const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy" });
  const name = page.getByLabel("Site name");
  await name.fill("Ünï code!");
  await page.getByText("Choose another name: only a-z, 0-9 and - are allowed. Try uni-code.").waitFor();
  expect(await deploy.isDisabled()).toBe(true);
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await name.fill("uni-code");
  await deploy.click();
  await page.getByRole("dialog", { name: "uni-code is live" }).waitFor();
});
