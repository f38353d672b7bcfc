import { newFreeze } from "../domain/sites/freeze.ts";
import { findSite, onDataFolder } from "./operator.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { OperatorOptions } from "./verb.ts";

interface Options extends OperatorOptions {
  readonly reason?: string;
}

/** Stops a site, in a running server from the next request on. */
export async function run(terminal: Terminal, siteName: string, options: Options): Promise<void> {
  await onDataFolder(terminal, options, async ({ store, clock, record }) => {
    const site = await findSite(store, siteName);
    const freeze = newFreeze(options.reason ?? null, clock.now());
    await record("freeze", { site: siteName, subject: freeze.reason ?? "" });
    await store.sites.setFrozen(site.id, freeze);
    terminal.done(`${siteName} is frozen.`);
  });
}
