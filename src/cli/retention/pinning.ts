import { Failure } from "../errors.ts";
import { findSite, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";

export async function setPinned(
  terminal: Terminal,
  siteName: string,
  number: string,
  options: OperatorOptions,
  pinned: boolean,
): Promise<void> {
  await onDataFolder(terminal, options, async ({ store }) => {
    const site = await findSite(store, siteName);
    if (await store.retention.setPinned(site.id, Number(number), pinned)) return;
    throw new Failure(`${siteName} has no deployment ${number}.`, `vitrine deployments list ${siteName} shows them.`);
  });
}
