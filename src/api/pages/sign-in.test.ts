import { expect, test } from "bun:test";
import type { IdentityProvider } from "../../domain/ports/identity.ts";
import { signInPage } from "./sign-in.ts";

const provider = { method: "password" } as IdentityProvider;
const form = { provider, returnTo: "/", purpose: null, problem: null, hasAccounts: true } as const;
const passkeys = { problem: null, elsewhere: null };
const shown = (login = "") => signInPage({ ...form, passkeys, login }).text;

test("a first attempt begins with the login", () => {
  expect(shown()).toMatch(/name="login" value=""[^>]* autofocus>/);
  expect(shown()).not.toMatch(/name="password"[^>]* autofocus/);
});

test("after a wrong password the login is kept, and the password is typed next", () => {
  expect(shown('ada"<b>')).toContain('name="login" value="ada&#34;&#60;b&#62;"');
  expect(shown("ada")).toMatch(/name="password"[^>]* autofocus>/);
  expect(shown("ada")).not.toMatch(/name="login"[^>]* autofocus/);
});
