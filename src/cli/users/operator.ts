import { UsageError } from "../errors.ts";
import { findUser, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";

/** Makes a person an operator, or no longer one. Here, and not in the console, the last one may go. */
export async function run(terminal: Terminal, login: string, state: string, options: OperatorOptions): Promise<void> {
  if (state !== "on" && state !== "off")
    throw new UsageError(`${JSON.stringify(state)} is not usable; give on or off.`);
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    await ports.record("users operator", { subject: `${user.login} ${state}` });
    await ports.store.users.setOperator(user.id, state === "on", { keepOne: false });
    terminal.done(state === "on" ? `${user.login} is an operator.` : `${user.login} is no longer an operator.`);
  });
}
