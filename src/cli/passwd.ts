import { connect } from "./client/connect.ts";
import { UsageError } from "./errors.ts";
import { askNewPassword, askOldPassword, readPasswordsFromStdin } from "./terminal/prompt.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { ClientOptions } from "./verb.ts";

interface Options extends ClientOptions {
  readonly passwordStdin?: boolean;
}

/** Changes the password of whoever is signed in, which ends their other sessions. */
export async function run(terminal: Terminal, options: Options): Promise<void> {
  const client = await connect(terminal, options);
  const { old, next } = await choosePasswords(terminal, options);
  await client.request("POST", "/auth/password", { old_password: old, new_password: next });
  terminal.done("Changed your password and ended your other sessions.");
}

async function choosePasswords(terminal: Terminal, { passwordStdin }: Options) {
  if (passwordStdin) return readPasswordsFromStdin();
  if (terminal.canAsk) return { old: await askOldPassword(terminal), next: await askNewPassword(terminal, NEW) };
  throw new UsageError("Cannot ask for the passwords without a terminal.", "Pass them on stdin: --password-stdin");
}

const NEW = "New password: ";
