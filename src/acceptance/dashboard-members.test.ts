import { expect } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { test, beforeAll, vitrine, ada, open } = await browserStories(() => startTestServer());

let dora: string;
beforeAll(async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "team" });
  dora = (await vitrine.signUp("dora")).token;
});

test("an owner adds a colleague, who finds the site and only what their role allows", async () => {
  const { page: owners, errors } = await open();
  await show(owners, "/dashboard/sites/team/settings/members");
  await owners.getByLabel("Login", { exact: true }).fill("dora");
  await owners.getByRole("button", { name: "Add member" }).click();
  await owners.getByText("dora is now a deployer of team.").waitFor();

  const { page: theirs } = await open(dora);
  await show(theirs, "/dashboard/sites/team/settings");
  await theirs.getByRole("heading", { name: "Members" }).waitFor();
  const panels = () => theirs.getByRole("navigation", { name: "Settings" }).getByRole("link").allTextContents();
  expect(await panels()).toEqual(["Members", "CI access"]);
  expect(await theirs.getByRole("button", { name: "Add member" }).count()).toBe(0);

  await owners.getByLabel("Role of dora").selectOption("maintainer");
  await owners.getByText("dora is now a maintainer of team.").waitFor();
  await theirs.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Access" }).waitFor();

  await owners.getByRole("button", { name: "Remove dora" }).click();
  await owners.getByText("dora is no longer a member of team.").waitFor();
  await theirs.getByRole("heading", { name: "Site not found" }).waitFor();
  expect(errors).toEqual([]);
});
