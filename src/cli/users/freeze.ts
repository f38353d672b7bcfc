import { newFreeze } from "../../domain/sites/freeze.ts";
import { findUser, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { count } from "../terminal/units.ts";
import type { OperatorOptions } from "../verb.ts";

interface Options extends OperatorOptions {
  readonly reason?: string;
}

/** Stops a person and all their sites, in a running server from the next request on. Their sessions wait. */
export async function run(terminal: Terminal, login: string, options: Options): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    const freeze = newFreeze(options.reason ?? null, ports.clock.now());
    await ports.record("users freeze", { subject: [user.login, freeze.reason ?? ""].join(" ").trim() });
    await ports.store.users.setFrozen(user.id, freeze);
    const { sites } = await ports.store.quotas.usage(user.id);
    const along = sites > 0 ? `, with ${count(sites, "site")}` : "";
    terminal.done(`${user.login} is frozen${along}.`);
  });
}
