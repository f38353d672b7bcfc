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
    if (user.provider !== "local") throw new Failure(`The password of ${user.login} is managed by ${user.provider}.`);
    const password = await choosePassword(terminal, options);
    checkNewPassword(password);
    if (!(await ports.store.users.setPassword(user.id, await ports.passwords.hash(password)))) {
      throw new Failure(`${login} was removed in the meantime.`, "See all users: vitrine users list");
    }
    await ports.record("users passwd", { subject: user.login });
    terminal.done(`Changed the password of ${user.login} and ended their sessions.`);
  });
}

async function choosePassword(terminal: Terminal, { passwordStdin }: Options): Promise<string> {
  if (passwordStdin) return readPasswordFromStdin();
  if (terminal.canAsk) return askNewPassword(terminal);
  throw new UsageError("Cannot ask for a password without a terminal.", "Pass it on stdin: --password-stdin");
}
