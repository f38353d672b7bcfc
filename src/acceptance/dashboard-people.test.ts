import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { MINUTE } from "../domain/timestamp.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { dropFiles } from "./testing/chromium.ts";
import { reloadUntil, show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";

const { test, beforeAll, vitrine, ada, open } = await browserStories();

beforeAll(async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "team" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello again" }), { site: "team" });
  const { token: dora } = await vitrine.signUp("dora");
  await vitrine.deploy(dora, await zipOf({ "index.html": "mine" }), { site: "doras" });
  const operator = await vitrine.store.users.findByLogin("local", "ada");
  await vitrine.store.users.setOperator(operator?.id ?? 0, true);
});

test("a team: a link invites, roles decide what is offered, a rename takes all along, a removal ends it", async () => {
  const { page: owners, errors } = await open();
  await owners.goto("/dashboard/sites/team/settings/members");
  const addMember = async (login: string) => {
    await owners.getByLabel("Login", { exact: true }).fill(login);
    await owners.getByRole("button", { name: "Add member" }).click();
  };
  await addMember("dora");
  await owners.getByText("dora is now a deployer of team.").waitFor();
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
  await joans.getByRole("menuitem", { name: "Set alias…" }).waitFor();
  const items = await joans.getByRole("menuitem").allTextContents();
  expect(items.filter((name) => /Pin|Share|Delete/.test(name))).toEqual([]);
  await joans.keyboard.press("Escape");
  await dropFiles(joans, { "index.html": "by joan" });
  await joans.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).click();
  await joans.getByRole("dialog", { name: "team is live" }).waitFor();
  await joans.keyboard.press("Escape");
  expect(await (await vitrine.visit("team")).text()).toBe("by joan");

  await show(joans, "/dashboard/sites/team/settings");
  await joans.getByRole("heading", { name: "Members" }).waitFor();
  const panels = joans.getByRole("navigation", { name: "Settings" }).getByRole("link");
  expect(await panels.allTextContents()).toEqual(["Members", "CI access"]);
  expect(await joans.getByRole("button", { name: "Add member" }).count()).toBe(0);
  await panels.filter({ hasText: "CI access" }).click();
  await joans.getByText("No tokens yet").waitFor();
  await joans.locator("main [aria-busy=true]").waitFor({ state: "detached" });
  expect(refusals).toEqual([]);
  await owners.getByLabel("Role of joan").selectOption("maintainer");
  await joans.getByRole("link", { name: "Access", exact: true }).waitFor();

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
  for (const page of [owners, joans]) await page.waitForURL("**/dashboard/sites/crew/settings**");
  const moved = await vitrine.visit("team", "/a?b");
  expect([moved.status, moved.headers.get("location")]).toEqual([308, `${vitrine.siteUrl("crew")}/a?b`]);
  await joans.goto("/dashboard/sites/team/deployments?deployment=1");
  await joans.waitForURL("**/dashboard/sites/crew/deployments?deployment=1");
  await joans.getByRole("dialog", { name: "Deployment #1" }).waitFor();

  await owners.getByRole("link", { name: "Members" }).click();
  await owners.getByRole("button", { name: "Remove joan" }).click();
  await joans.getByRole("heading", { name: "Site not found" }).waitFor();
  expect(errors.filter((text) => !/40[49]/.test(text))).toEqual([]);
});

test("an account: sessions are ended, the password is changed, and signing out leaves no data behind", async () => {
  const { id: userId } = await addLocalAccount(vitrine, "heidi");
  const ports = { store: vitrine.store, clock: vitrine.clock, secrets: systemSecrets };
  const start = (clientName: string) => startSession(ports, { userId, clientName, address: "127.0.0.1" });
  const { token } = await start("Firefox");
  for (const clientName of ["laptop", "phone", "tablet"]) await start(clientName);
  const { page } = await open(token);
  await page.goto("/");
  await page.getByText("Drop a folder or a ZIP here").waitFor();
  await dropFiles(page, { "plan.zip": await zipOf({ "index.html": "x" }) });
  await page.getByLabel("Site name").fill("secret-plan");
  expect(await page.evaluate<string>("JSON.stringify(sessionStorage)")).toContain("secret-plan");

  await page.goto("/dashboard/account/sessions");
  await page.getByText("This browser").waitFor();
  await page.getByRole("button", { name: "End the session of laptop" }).click();
  await page.getByRole("button", { name: "End session", exact: true }).click();
  await page.getByText("The session of laptop was ended.").waitFor();
  await page.getByRole("button", { name: "End all others" }).click();
  await page.getByRole("dialog", { name: "End 2 other sessions?" }).waitFor();
  await page.getByRole("button", { name: "End sessions" }).click();
  await page.getByText("2 other sessions were ended.").waitFor();
  expect(await page.getByRole("button", { name: /^End the session of/ }).count()).toBe(0);
  expect(await vitrine.store.sessions.listOfUser(userId, vitrine.clock.now())).toHaveLength(1);

  await page.getByRole("link", { name: "Account", exact: true }).click();
  const fill = async (old: string, next: string, again = next) => {
    await page.getByLabel("Old password").fill(old);
    await page.getByLabel("New password", { exact: true }).fill(next);
    await page.getByLabel("Confirm new password").fill(again);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await fill(PASSWORD, "staple correct horse", "another");
  await page.getByText("The new passwords do not match.").waitFor();
  await fill("not the password", "staple correct horse");
  await page.getByText("The old password is wrong").waitFor();
  await fill(PASSWORD, "staple correct horse");
  await page.getByText("Your password was changed.").waitFor();
  expect(await page.getByLabel("Old password").inputValue()).toBe("");

  // Users of another provider have no password here.
  await page.route("**/auth/me", async (route) => {
    const user = await (await route.fetch()).json();
    await route.fulfill({ json: { ...user, provider: "github" } });
  });
  await reloadUntil(page, page.getByRole("heading", { name: "Password", exact: true }), "detached");

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  expect(await page.evaluate<number>("sessionStorage.length")).toBe(0);
});

test("a browser of a phone's size adds a passkey, signs in with it, and confirms the removal of the password and its own", async () => {
  const { id: userId } = await addLocalAccount(vitrine, "judy");
  const ports = { store: vitrine.store, clock: vitrine.clock, secrets: systemSecrets };
  const { token } = await startSession(ports, { userId, clientName: "phone", address: null, signedIn: true });
  const { page, context, errors } = await open(token);
  await page.setViewportSize({ width: 390, height: 844 });
  const setPresent = await addAuthenticator(page);
  await page.goto("/dashboard/account");

  const passkeys = page.getByRole("region", { name: "Passkeys" });
  const add = async (name: string) => {
    await passkeys.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill(name);
    await page.getByRole("button", { name: "Continue" }).click();
  };
  await add("Laptop");
  await passkeys.getByText("never used").waitFor();
  await add("Again");
  await page.getByText("This device has a passkey of your account already.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await passkeys.getByRole("button", { name: "Actions for Laptop" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: /^Name/ }).fill("Work laptop");
  await page.getByRole("button", { name: "Rename" }).click();
  await passkeys.getByRole("heading", { name: "Work laptop" }).waitFor();

  // The browser takes the only passkey in its suggestions as chosen.
  await context.clearCookies();
  await page.goto("/sign-in?return_to=/dashboard/account");
  await passkeys.getByText(/, used /).waitFor();

  await context.clearCookies();
  await setPresent(false);
  await page.goto("/sign-in?return_to=/dashboard/account");
  const button = page.getByRole("button", { name: "Sign in with a passkey" });
  await button.waitFor();
  await setPresent(true);
  await button.click();
  await passkeys.getByRole("heading", { name: "Work laptop" }).waitFor();

  vitrine.advance(15 * MINUTE);
  await page.getByRole("button", { name: "Remove the password" }).click();
  await page.getByRole("button", { name: "Remove password" }).click();
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await page.getByText("You sign in with passkeys only.").waitFor();
  await passkeys.getByRole("button", { name: "Actions for Work laptop" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove passkey" }).click();
  await page.getByText("This passkey is your last way to sign in").waitFor();
  expect(errors.filter((text) => !/40[39]/.test(text))).toEqual([]);
});

/** Gives the page an authenticator that verifies its user at once, and returns how to make the user hesitate. */
async function addAuthenticator(page: Page): Promise<(isPresent: boolean) => Promise<unknown>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return (enabled) => devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
}
