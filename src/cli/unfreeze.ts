import { Failure } from "./errors.ts";
import { findSite, onDataFolder } from "./operator.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { OperatorOptions } from "./verb.ts";

/** Lets a site go on, in a running server from the next request on. */
export async function run(terminal: Terminal, siteName: string, options: OperatorOptions): Promise<void> {
  await onDataFolder(terminal, options, async ({ store, record }) => {
    const site = await findSite(store, siteName);
    if (!site.frozen) throw new Failure(`${siteName} is not frozen.`);
    await record("unfreeze", { site: siteName });
    await store.sites.setFrozen(site.id, null);
    const owner = await store.users.find(site.ownerId);
    if (owner?.frozen)
      throw new Failure(
        `${siteName} is unfrozen, but its owner ${owner.login} is frozen.`,
        `Unfreeze the owner: vitrine users unfreeze ${owner.login}`,
      );
    terminal.done(`${siteName} is unfrozen.`);
  });
}
