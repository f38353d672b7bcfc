import { addAccount } from "../../domain/accounts/accounts.ts";
import { UsageError } from "../errors.ts";
import { onDataFolder } from "../operator.ts";
import { askNewPassword, readPasswordFromStdin } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";
import { userJson } from "./list.ts";

interface Options extends OperatorOptions, JsonOption {
  readonly name?: string;
  readonly passwordStdin?: boolean;
}

/**
 * Adds a person who may own sites. A built-in account asks for a password on a terminal; without one to ask at, the
 * account gets a password that nobody knows, and signs in by `users session` until `users passwd` sets one.
 */
export async function run(terminal: Terminal, login: string, options: Options): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const local = ports.provider.method === "password";
    if (!local && options.passwordStdin) {
      throw new UsageError(`${ports.provider.label} manages the passwords.`, "Leave out --password-stdin.");
    }
    const known = options.passwordStdin || terminal.canAsk;
    const password = local ? await choosePassword(terminal, options.passwordStdin === true) : null;
    const user = await addAccount(
      { ...ports, users: ports.store.users },
      { login, name: options.name ?? null, password },
    );
    await ports.record("users add", { subject: user.login });
    terminal.done(`Added ${user.login}.`);
    if (options.json) terminal.json(userJson(user));
    if (local && !known) terminal.say(`No password was set. Set one: vitrine users passwd ${user.login}`);
  });
}

async function choosePassword(terminal: Terminal, fromStdin: boolean): Promise<string> {
  if (fromStdin) return readPasswordFromStdin();
  return terminal.canAsk ? askNewPassword(terminal) : crypto.randomUUID();
}
