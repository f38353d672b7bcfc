import { planRetention } from "../../domain/deployments/retention.ts";
import { onDataFolder } from "../operator.ts";
import { table } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { count, formatBytes } from "../terminal/units.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";

/** Says what retention would remove, and what that would free; removes nothing. */
export async function run(
  terminal: Terminal,
  site: string | undefined,
  options: OperatorOptions & JsonOption,
): Promise<void> {
  const plans = await onDataFolder(terminal, options, (ports, config) =>
    planRetention(ports, { last: config.keepLast, days: config.keepDays }, site ?? null),
  );
  const bytes = plans.reduce((total, plan) => total + plan.bytes, 0);
  const sites = plans.map(({ siteName, numbers, bytes }) => ({ site: siteName, deployments: numbers, bytes }));
  if (options.json) return terminal.data(JSON.stringify({ sites, bytes }, null, 2));
  if (plans.length === 0) return terminal.say("Nothing would be removed.");
  const rows = plans.map((plan) => [plan.siteName, count(plan.numbers.length, "deployment"), formatBytes(plan.bytes)]);
  terminal.data(table(terminal.dataStyle, ["SITE", "REMOVES", "FREES"], rows));
  terminal.say(`${formatBytes(bytes)} would be freed; vitrine retention run removes them now.`);
}
