import { localProvider } from "../../clients/identity/local.ts";
import { createPasswords } from "../../clients/identity/passwords.ts";
import { addAccount } from "../../domain/accounts/accounts.ts";
import type { User } from "../../domain/model/user.ts";
import type { Passwords } from "../../domain/ports/system.ts";
import { Browser } from "./browser.ts";
import type { TestServer } from "./test-server.ts";

export const PASSWORD = "correct horse battery";

/** At the lowest cost. Each sign-in pays the cost of its account's hash, which would be most of its CPU time. */
const passwords: Passwords = {
  ...createPasswords(),
  hash: (password) => Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 }),
};

/** Adds a built-in account as `vitrine users add` does. Its password is `PASSWORD`. */
export function addLocalAccount({ store, clock }: Pick<TestServer, "store" | "clock">, login: string): Promise<User> {
  const ports = { users: store.users, provider: localProvider(store.users, passwords), passwords, clock };
  return addAccount(ports, { login, name: null, password: PASSWORD });
}

/** Returns a browser in which the user is signed in. */
export async function signIn(
  { baseUrl }: Pick<TestServer, "baseUrl">,
  login: string,
  browser = new Browser(baseUrl),
): Promise<Browser> {
  const page = await browser.submit("/sign-in", { login, password: PASSWORD });
  if (page.status !== 200) throw new Error(`${login} could not sign in: ${page.status}`);
  return browser;
}
