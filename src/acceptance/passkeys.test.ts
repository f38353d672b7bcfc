import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { MINUTE } from "../domain/timestamp.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { browserStories } from "./testing/stories.ts";

const { test, vitrine, open } = await browserStories();

/**
 * Gives the page an authenticator that verifies its user at once, and returns how to make the user hesitate. The browser
 * takes the only passkey in its suggestions as chosen.
 */
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

test("a browser of a phone's size adds a passkey, signs in with it, and confirms the removal of the password and its own", async () => {
  await addLocalAccount(vitrine, "judy");
  const { page, context, errors } = await open(null);
  await page.setViewportSize({ width: 390, height: 844 });
  const setPresent = await addAuthenticator(page);
  await page.goto("/sign-in?return_to=/dashboard/account");
  await page.getByLabel("Login").fill("judy");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();

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

  await context.clearCookies();
  await page.goto("/sign-in?return_to=/dashboard/account");
  await passkeys.getByText(/, used /).waitFor();

  await context.clearCookies();
  await setPresent(false);
  await page.goto("/sign-in?return_to=/dashboard/account/sessions");
  const button = page.getByRole("button", { name: "Sign in with a passkey" });
  await button.waitFor();
  await setPresent(true);
  await button.click();
  await page.getByText("This browser").waitFor();
  await page.getByRole("link", { name: "Account", exact: true }).click();

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
