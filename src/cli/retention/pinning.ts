import { deploymentNumber } from "../deployments/deployment-number.ts";
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
  const wanted = deploymentNumber(number);
  await onDataFolder(terminal, options, async ({ store, record }) => {
    const site = await findSite(store, siteName);
    const found = await store.retention.setPinned(site.id, wanted, pinned);
    if (found)
      return record(`retention ${pinned ? "pin" : "unpin"}`, { site: siteName, subject: `deployment ${wanted}` });
    throw new Failure(
      `${siteName} has no deployment ${wanted}.`,
      `See its deployments: vitrine deployments list ${siteName}`,
    );
  });
}
