import { expect } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { dropFiles } from "./testing/chromium.ts";
import { show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { test, beforeAll, vitrine, ada, open } = await browserStories(() => startTestServer());

let dora: string;
beforeAll(async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "team" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello again" }), { site: "team" });
  dora = (await vitrine.signUp("dora")).token;
  await vitrine.deploy(dora, await zipOf({ "index.html": "mine" }), { site: "doras" });
  const operator = await vitrine.store.users.findByLogin("local", "ada");
  await vitrine.store.users.setOperator(operator?.id ?? 0, true);
});

test("a team of three: a link invites, roles decide what is offered, a rename takes all along, a removal ends it", async () => {
  const { page: owners, errors } = await open();
  await show(owners, "/dashboard/sites/team/settings/members");
  const addMember = async (login: string) => {
    await owners.getByLabel("Login", { exact: true }).fill(login);
    await owners.getByRole("button", { name: "Add member" }).click();
  };
  await addMember("joan");
  await owners.getByRole("button", { name: "Invite joan to team with a link…" }).click();
  await owners.getByRole("button", { name: "Create link" }).click();
  await owners.getByText("joan is invited to team as deployer").waitFor();
  const link = (await owners.getByRole("dialog").locator("code, input[readonly]").last().textContent()) ?? "";
  await owners.getByRole("button", { name: "Done" }).click();

  const { page: joans, errors: refusals } = await open(null);
  await joans.goto(new URL(link).pathname);
  await joans.getByText("You are invited to work on team as deployer.").waitFor();
  await joans.getByLabel("Password").fill("correct horse");
  await joans.getByRole("button", { name: "Create account" }).click();
  await joans.getByRole("button", { name: "Actions for #1", exact: true }).click();
  const items = await joans.getByRole("menuitem").allTextContents();
  expect(items).toContain("Set alias…");
  expect(items.filter((name) => /Pin|Share|Delete/.test(name))).toEqual([]);
  await joans.keyboard.press("Escape");
  for (const tab of ["deployments", "activity", "settings/tokens"]) {
    await show(joans, `/dashboard/sites/team/${tab}`);
    await joans.locator("main [aria-busy=true]").waitFor({ state: "detached" });
  }
  expect(refusals).toEqual([]);
  await dropFiles(joans, { "index.html": "by joan" });
  await joans.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).click();
  await joans.getByRole("heading", { name: "team is live" }).waitFor();
  expect(await (await vitrine.visit("team")).text()).toBe("by joan");

  await addMember("dora");
  await owners.getByText("dora is now a deployer of team.").waitFor();
  const { page: doras } = await open(dora);
  await show(doras, "/dashboard/sites/team/settings");
  await doras.getByRole("heading", { name: "Members" }).waitFor();
  const panels = doras.getByRole("navigation", { name: "Settings" }).getByRole("link");
  expect(await panels.allTextContents()).toEqual(["Members", "CI access"]);
  expect(await doras.getByRole("button", { name: "Add member" }).count()).toBe(0);
  await owners.getByLabel("Role of dora").selectOption("maintainer");
  await panels.filter({ hasText: "Access" }).first().waitFor();

  await owners.getByRole("link", { name: "Danger zone" }).click();
  await owners.getByRole("button", { name: "Rename team…" }).click();
  const name = owners.getByLabel("New name");
  const rename = owners.getByRole("button", { name: "Rename", exact: true });
  await name.fill("www");
  await owners.getByText("Choose another name: this name is reserved.").waitFor();
  await name.fill("doras");
  await rename.click();
  await owners.getByText("The name doras is taken or reserved: choose another").waitFor();
  await name.fill("crew");
  await rename.click();
  for (const page of [owners, doras]) await page.waitForURL("**/dashboard/sites/crew/settings**");
  const moved = await vitrine.visit("team", "/a?b");
  expect([moved.status, moved.headers.get("location")]).toEqual([308, `${vitrine.siteUrl("crew")}/a?b`]);

  await owners.getByRole("link", { name: "Members" }).click();
  await owners.getByRole("button", { name: "Remove dora" }).click();
  await doras.getByRole("heading", { name: "Site not found" }).waitFor();
  expect(errors.filter((text) => !/40[49]/.test(text))).toEqual([]);
});
