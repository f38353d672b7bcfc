import { findSite, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OperatorOptions } from "../verb.ts";
import { type PolicyOptions, policyOf } from "./policy-options.ts";

/** Gives a site a policy of its own, or takes it away. */
export async function run(
  terminal: Terminal,
  siteName: string,
  options: OperatorOptions & PolicyOptions,
): Promise<void> {
  const policy = policyOf(options);
  await onDataFolder(terminal, options, async ({ store, record }) => {
    const site = await findSite(store, siteName);
    const subject = policy ? `last=${policy.last ?? "off"} days=${policy.days ?? "off"}` : "default";
    await record("retention set", { site: siteName, subject });
    await store.retention.setPolicy(site.id, policy);
    terminal.done(`${siteName} ${policy ? "has its own" : "uses the server's"} retention policy.`);
    terminal.say(`See what it would delete: vitrine retention show ${siteName}`);
  });
}
