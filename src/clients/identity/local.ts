import { isLocalLogin } from "../../domain/accounts/accounts.ts";
import type { PasswordProvider } from "../../domain/ports/identity.ts";
import type { UserStore } from "../../domain/ports/store/users.ts";
import type { Passwords } from "../../domain/ports/system.ts";

/** The built-in provider with the accounts of `vitrine users`. */
export function localProvider(
  users: Pick<UserStore, "findByLogin" | "passwordHash">,
  passwords: Pick<Passwords, "verify">,
): PasswordProvider {
  return {
    name: "local",
    label: "this server",
    method: "password",
    isLogin: isLocalLogin,
    findByLogin: (login) => users.findByLogin("local", login),
    async authenticate(login, password) {
      const identity = await users.findByLogin("local", login);
      const passwordHash = identity && (await users.passwordHash(identity.id));
      const fits = await passwords.verify(password, passwordHash);
      return fits && identity && passwordHash !== null ? { identity, passwordHash } : null;
    },
  };
}
