import { standardRetention } from "../config/policies.ts";
import { applyRetention, planRetention, type RetentionPlan } from "../domain/deployments/retention.ts";
import { formatDuration } from "../domain/duration.ts";
import { policyInForce, type RetentionPolicy } from "../domain/model/retention.ts";
import { DAY } from "../domain/timestamp.ts";
import { deploymentNumber, type PolicyOptions, policyOf } from "./arguments.ts";
import type { OperatorListOptions, OperatorOptions } from "./command.ts";
import { findSite, onDataFolder, readingDataFolder } from "./operator.ts";
import { Failure } from "./terminal/errors.ts";
import { type Column, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

/** Prints the policy and what it would delete. Deletes nothing. */
export async function showRetention(
  terminal: Terminal,
  site: string | undefined,
  options: OperatorListOptions,
): Promise<void> {
  const { policy, isOwn, plans } = await readingDataFolder(terminal, options, async (ports, config) => {
    const standard = standardRetention(config);
    const one = site === undefined ? null : await findSite(ports.store, site);
    const own = one && (await ports.store.retention.findPolicy(one.id));
    return {
      policy: policyInForce(own, standard),
      isOwn: own !== null,
      plans: await planRetention(ports, standard, site ?? null),
    };
  });
  const bytes = plans.reduce((total, plan) => total + plan.bytes, 0);
  if (options.json) {
    const sites = plans.map(({ siteName, policy, numbers, bytes }) => ({
      site: siteName,
      policy: policyFields(policy),
      deployments: numbers,
      bytes,
    }));
    return terminal.json({ policy: policyFields(policy), sites, bytes });
  }
  const grace = `Assets of a replaced deployment are served for ${formatDuration(policy.graceMs)}.`;
  terminal.say(`${isOwn ? site : "The server"} keeps ${describePolicy(policy)}. ${grace}`);
  if (plans.length === 0) return terminal.say("No deployments would be deleted.");
  printTable(terminal, COLUMNS, plans, options);
  terminal.say(`This frees ${formatBytes(bytes)}. Delete them now: vitrine retention run`);
}

export async function runRetention(
  terminal: Terminal,
  site: string | undefined,
  options: OperatorOptions,
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
  const frees = bytes > 0 ? ` The server frees ${formatBytes(bytes)} in one to two hours.` : "";
  terminal.done(`Deleted ${count(deployments, "deployment")}.${frees}`);
}

/** Sets or removes a site's own policy. */
export async function setRetention(
  terminal: Terminal,
  siteName: string,
  options: OperatorOptions & PolicyOptions,
): Promise<void> {
  const wish = policyOf(options);
  await onDataFolder(terminal, options, async ({ store, record }, config) => {
    const site = await findSite(store, siteName);
    const rules = policyInForce(await store.retention.findPolicy(site.id), standardRetention(config));
    const policy = wish === "default" ? null : { last: rules.last, days: rules.days, ...wish };
    const grace = policy?.graceDays === undefined ? "" : ` grace=${policy.graceDays}`;
    const subject = policy ? `last=${policy.last ?? "off"} days=${policy.days ?? "off"}${grace}` : "default";
    await record("retention set", { site: siteName, subject });
    await store.retention.setPolicy(site.id, policy);
    terminal.done(`${siteName} ${policy ? "has its own" : "uses the server's"} retention policy.`);
    terminal.say(`See what it would delete: vitrine retention show ${siteName}`);
  });
}

export async function setPin(
  terminal: Terminal,
  state: "pinned" | "unpinned",
  siteName: string,
  number: string,
  options: OperatorOptions,
): Promise<void> {
  const wanted = deploymentNumber(number);
  const isPinned = state === "pinned";
  await onDataFolder(terminal, options, async ({ store, record }) => {
    const site = await findSite(store, siteName);
    if (!(await store.retention.setPinned(site.id, wanted, isPinned))) {
      throw new Failure(
        `${siteName} has no deployment ${wanted}`,
        `See its deployments: vitrine deployments list ${siteName}`,
      );
    }
    await record(`retention ${isPinned ? "pin" : "unpin"}`, { site: siteName, subject: `deployment ${wanted}` });
    terminal.done(`Deployment ${wanted} of ${siteName} is ${state}.`);
  });
}

// --- internal ---

const COLUMNS: readonly Column<RetentionPlan>[] = [
  { title: "SITE", value: ({ siteName }) => siteName },
  { title: "POLICY", value: ({ policy }) => describePolicy(policy), cut: true },
  { title: "DELETES", value: ({ numbers }) => count(numbers.length, "deployment") },
  { title: "FREES", value: ({ bytes }) => formatBytes(bytes) },
];

/** The field names of the API. */
function policyFields({ last, days, graceMs }: RetentionPolicy) {
  return { keep_last: last, keep_days: days, grace_days: graceMs / DAY };
}

function describePolicy({ last, days }: RetentionPolicy): string {
  const kept = [
    ...(last === null ? [] : [`the newest ${last}`]),
    ...(days === null ? [] : [`those of the last ${count(days, "day")}`]),
  ];
  return kept.length === 0 ? "every deployment" : kept.join(" and ");
}
