import { standardRetention } from "../../app/policies.ts";
import { planRetention, type RetentionPolicy } from "../../domain/deployments/retention.ts";
import { findSite, lookingAtDataFolder } from "../operator.ts";
import { type LongOption, printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { count, formatBytes } from "../terminal/units.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";

/** Says which policy holds, what it would remove, and what that would free; removes nothing. */
export async function run(
  terminal: Terminal,
  site: string | undefined,
  options: OperatorOptions & JsonOption & LongOption,
): Promise<void> {
  const { standard, own, plans } = await lookingAtDataFolder(terminal, options, async (ports, config) => {
    const standard = standardRetention(config);
    const one = site === undefined ? null : await findSite(ports.store, site);
    const own = one && (await ports.store.retention.findPolicy(one.id));
    return { standard, own, plans: await planRetention(ports, standard, site ?? null) };
  });
  const bytes = plans.reduce((total, plan) => total + plan.bytes, 0);
  if (options.json) {
    const sites = plans.map(({ siteName, policy, numbers, bytes }) => ({
      site: siteName,
      policy: policyFields(policy),
      deployments: numbers,
      bytes,
    }));
    return terminal.json({ policy: policyFields(own ?? standard), sites, bytes });
  }
  terminal.say(`${own ? site : "The server"} keeps ${describePolicy(own ?? standard)}.`);
  if (plans.length === 0) return terminal.say("No deployments would be deleted.");
  const rows = plans.map(({ siteName, policy, numbers, bytes }) => [
    siteName,
    describePolicy(policy),
    count(numbers.length, "deployment"),
    formatBytes(bytes),
  ]);
  printTable(terminal, ["SITE", { title: "POLICY", cut: true }, "DELETES", "FREES"], rows, options);
  terminal.say(`This frees ${formatBytes(bytes)}. Delete them now: vitrine retention run`);
}

// --- internal ---

/** As the API names them. */
function policyFields({ last, days }: RetentionPolicy) {
  return { keep_last: last, keep_days: days };
}

function describePolicy({ last, days }: RetentionPolicy): string {
  const kept = [
    ...(last === null ? [] : [`the newest ${last}`]),
    ...(days === null ? [] : [`those of the last ${count(days, "day")}`]),
  ];
  return kept.length === 0 ? "every deployment" : kept.join(" and ");
}
