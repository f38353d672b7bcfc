import { checkNewPassword } from "../../domain/accounts/password-rules.ts";
import { Failure, UsageError } from "../errors.ts";
import { findUser, onDataFolder } from "../operator.ts";
import { askNewPassword, readPasswordFromStdin } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";

interface Options extends OperatorOptions {
  readonly passwordStdin?: boolean;
}

/** Sets a new password, which ends the person's sessions. */
export async function run(terminal: Terminal, login: string, options: Options): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    if (user.provider !== "local") throw new Failure(`${user.login} has no password here, but at ${user.provider}.`);
    const password = await choosePassword(terminal, options);
    checkNewPassword(password);
    if (!(await ports.store.users.setPassword(user.id, await ports.passwords.hash(password)))) {
      throw new Failure(`${login} was removed meanwhile.`, "vitrine users list shows everybody.");
    }
    await ports.record("users passwd", { subject: user.login });
    terminal.done(`${user.login} has a new password; sessions before it have ended.`);
  });
}

async function choosePassword(terminal: Terminal, { passwordStdin }: Options): Promise<string> {
  if (passwordStdin) return readPasswordFromStdin();
  if (terminal.canAsk) return askNewPassword(terminal);
  throw new UsageError("There is no terminal to ask for the password at.", "Pipe it in, with --password-stdin.");
}
