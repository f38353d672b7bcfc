import { localProvider } from "../../clients/identity/local.ts";
import { createPasswords } from "../../clients/identity/passwords.ts";
import { addAccount } from "../../domain/accounts/accounts.ts";
import type { User } from "../../domain/model/user.ts";
import type { Passwords } from "../../domain/ports/system.ts";
import { Browser } from "./browser.ts";
import type { TestServer } from "./test-server.ts";

export const PASSWORD = "correct horse battery";

const argon2id = createPasswords();
/** Of all accounts, because hashing takes longer than the rest of adding one. */
let hashed: Promise<string> | null = null;
const passwords: Passwords = {
  ...argon2id,
  hash(password) {
    hashed ??= argon2id.hash(password);
    return hashed;
  },
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
