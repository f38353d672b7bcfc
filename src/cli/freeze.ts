import { newFreeze } from "../domain/model/freeze.ts";
import type { OperatorOptions } from "./command.ts";
import { findSite, findUser, onDataFolder } from "./operator.ts";
import { Failure } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count } from "./terminal/units.ts";

interface FreezeOptions extends OperatorOptions {
  readonly reason?: string;
}

/** Freezes a site. A running server applies it from the next request on. */
export async function freezeSite(terminal: Terminal, siteName: string, options: FreezeOptions): Promise<void> {
  await onDataFolder(terminal, options, async ({ store, clock, record }) => {
    const site = await findSite(store, siteName);
    const freeze = newFreeze(options.reason ?? null, clock.now());
    await record("freeze", { site: siteName, subject: freeze.reason ?? "" });
    await store.sites.setFrozen(site.id, freeze);
    terminal.done(`${siteName} is frozen.`);
  });
}

export async function unfreezeSite(terminal: Terminal, siteName: string, options: OperatorOptions): Promise<void> {
  await onDataFolder(terminal, options, async ({ store, record }) => {
    const site = await findSite(store, siteName);
    if (!site.frozen) throw new Failure(`${siteName} is not frozen`);
    await record("unfreeze", { site: siteName });
    await store.sites.setFrozen(site.id, null);
    const owner = await store.users.find(site.ownerId);
    if (owner?.frozen)
      throw new Failure(
        `${siteName} is unfrozen, but its owner ${owner.login} is frozen`,
        `Unfreeze the owner: vitrine users unfreeze ${owner.login}`,
      );
    terminal.done(`${siteName} is unfrozen.`);
  });
}

/** Freezes a user and all their sites. Their sessions remain and work again after unfreezing. */
export async function freezeUser(terminal: Terminal, login: string, options: FreezeOptions): Promise<void> {
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

/** Unfreezes a user, and their sites except those that are frozen individually. */
export async function unfreezeUser(terminal: Terminal, login: string, options: OperatorOptions): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    if (!user.frozen) throw new Failure(`${user.login} is not frozen`);
    await ports.record("users unfreeze", { subject: user.login });
    await ports.store.users.setFrozen(user.id, null);
    terminal.done(`${user.login} is unfrozen.`);
    const frozen = (await ports.store.sites.listOfOwner(user.id)).filter((site) => site.frozen);
    if (frozen.length > 0) terminal.say(`Sites that stay frozen: ${frozen.map(({ name }) => name).join(", ")}`);
  });
}
