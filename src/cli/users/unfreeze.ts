import { Failure } from "../errors.ts";
import { findUser, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";

/** Lets a person go on; of their sites, those that are not frozen themselves. */
export async function run(terminal: Terminal, login: string, options: OperatorOptions): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    if (!user.frozen) throw new Failure(`${user.login} is not frozen.`);
    await ports.record("users unfreeze", { subject: user.login });
    await ports.store.users.setFrozen(user.id, null);
    terminal.done(`${user.login} is unfrozen.`);
    const frozen = (await ports.store.sites.listOfOwner(user.id)).filter((site) => site.frozen);
    if (frozen.length > 0) terminal.say(`Sites that stay frozen: ${frozen.map(({ name }) => name).join(", ")}`);
  });
}
