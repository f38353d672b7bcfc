import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { addLocalAccount, PASSWORD, signIn } from "./testing/accounts.ts";
import { openWindow } from "./testing/chromium.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { test, beforeAll, vitrine, browser, open } = await browserStories();

const NEW = "staple correct horse";

beforeAll(async () => {
  await addLocalAccount(vitrine, "heidi");
});

async function fill(page: Page, old: string, next: string, again = next): Promise<void> {
  await page.getByLabel("Old password").fill(old);
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByLabel("Confirm new password").fill(again);
  await page.getByRole("button", { name: "Change password" }).click();
}

test("a password is changed on the account page, which ends the other sessions", async () => {
  await signIn(vitrine, "heidi");
  const token = (await signIn(vitrine, "heidi")).cookies().get("vitrine");
  const { page } = await open(token);
  await page.goto("/dashboard/account/sessions");
  await page.getByRole("button", { name: /^End the session of/ }).waitFor();
  await page.getByRole("link", { name: "Account", exact: true }).click();

  await fill(page, PASSWORD, NEW, `${NEW}!`);
  await page.getByText("The new passwords do not match.").waitFor();
  await fill(page, "not the password", NEW);
  await page.getByText("The old password is wrong").waitFor();
  await fill(page, PASSWORD, "short");
  await page.getByText("New password: ").waitFor();
  await fill(page, PASSWORD, NEW);
  await page.getByText("Your password was changed.").waitFor();

  expect(await page.getByLabel("Old password").inputValue()).toBe("");
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await page.getByText("This browser").waitFor();
  await page.getByRole("button", { name: /^End the session of/ }).waitFor({ state: "detached" });
});

test("users of another provider see no password form", async () => {
  await using elsewhere = await startTestServer({ provider: "github", "provider-client-id": "x" });
  const user = await elsewhere.store.users.recognize(
    { provider: "github", subject: "1", login: "grace", name: null, avatarUrl: null },
    elsewhere.clock.now(),
  );
  const ports = { store: elsewhere.store, clock: elsewhere.clock, secrets: systemSecrets };
  const { token } = await startSession(ports, { userId: user.id, clientName: "test", address: null });
  const { page } = await openWindow(browser, elsewhere, token);
  await page.goto("/dashboard/account");
  await page.getByText("Signed in as grace").waitFor();
  expect(await page.getByRole("heading", { name: "Password", exact: true }).count()).toBe(0);
});
