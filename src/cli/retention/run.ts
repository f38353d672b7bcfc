import { standardRetention } from "../../app/policies.ts";
import { applyRetention } from "../../domain/deployments/retention.ts";
import { findSite, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { count, formatBytes } from "../terminal/units.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";

/** Removes now what the policies give up, instead of within the hour. */
export async function run(
  terminal: Terminal,
  site: string | undefined,
  options: OperatorOptions & JsonOption,
): Promise<void> {
  const removed = await onDataFolder(terminal, options, async (ports, config) => {
    if (site !== undefined) await findSite(ports.store, site);
    const gone = await applyRetention(ports, standardRetention(config), site ?? null);
    for (const { siteName, numbers } of gone) {
      await ports.record("retention run", { site: siteName, subject: `deployments ${numbers.join(" ")}` });
    }
    return gone;
  });
  const bytes = removed.reduce((total, one) => total + one.bytes, 0);
  const deployments = removed.reduce((total, one) => total + one.numbers.length, 0);
  const sites = removed.map(({ siteName, numbers, bytes }) => ({ site: siteName, deployments: numbers, bytes }));
  if (options.json) terminal.json({ sites, bytes });
  terminal.done(`Deleted ${count(deployments, "deployment")}. The server frees ${formatBytes(bytes)} within the hour.`);
}
