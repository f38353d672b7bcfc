import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { RetentionPreview } from "../client/types.ts";
import { type PolicyOptions, policyOf } from "../retention/policy-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { count, formatBytes } from "../terminal/units.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";

interface Options extends ClientOptions, JsonOption, PolicyOptions {
  readonly dryRun?: boolean;
}

/** Says which deployments of a site stay, and what goes therefore; with --dry-run only what would go. */
export async function run(terminal: Terminal, site: string, options: Options): Promise<void> {
  const policy = policyOf(options);
  const client = await connect(terminal, options);
  const retention = path`/sites/${site}/retention`;
  if (options.dryRun !== true) {
    if (policy) await client.put(retention, { keep_last: policy.last, keep_days: policy.days });
    else await client.delete(retention);
  }
  const query = new URLSearchParams(policy ? {} : { default: "true" });
  if (policy?.last) query.set("keep_last", String(policy.last));
  if (policy?.days) query.set("keep_days", String(policy.days));
  const preview = await client.get<RetentionPreview>(`${retention}/preview?${query}`);
  if (options.json) return terminal.json(preview);
  if (preview.deployments.length === 0) return terminal.say("No deployments will be deleted.");
  const frees = `${count(preview.deployments.length, "deployment")}, which frees ${formatBytes(preview.bytes)}`;
  terminal.say(options.dryRun ? `This would delete ${frees}.` : `Within the hour, this deletes ${frees}.`);
}
