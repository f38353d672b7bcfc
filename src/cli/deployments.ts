import type { Deployment, RetentionPreview } from "../api/schemas/types.ts";
import { deploymentNumber, type PageOptions, type PolicyOptions, pageQuery, policyOf } from "./arguments.ts";
import { path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import type { JsonOption } from "./command.ts";
import { type Column, type ListOptions, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes, formatTime } from "./terminal/units.ts";

export async function listDeployments(
  terminal: Terminal,
  site: string,
  options: ClientOptions & ListOptions & PageOptions,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const deployments = await client.list<Deployment>(path`/sites/${site}/deployments` + page);
  if (options.json) return terminal.json(deployments);
  printTable(terminal, COLUMNS, deployments, options);
}

const COLUMNS: readonly Column<Deployment>[] = [
  { title: "  NUMBER", value: ({ active, deployment_number }) => `${active ? "*" : " "} ${deployment_number}` },
  { title: "CREATED", value: ({ created_at }) => formatTime(created_at) },
  { title: "BY", value: ({ actor }) => actor, cut: true },
  { title: "MESSAGE", value: ({ message }) => firstLine(message), cut: true },
  { title: "FILES", value: ({ file_count }) => file_count.toLocaleString("en"), optional: true },
  { title: "SIZE", value: ({ size_bytes }) => formatBytes(size_bytes), optional: true },
  { title: "URL", value: ({ url }) => url, optional: true },
  { title: "COMMIT", value: ({ commit }) => commit ?? "", optional: true },
  { title: "REF", value: ({ ref }) => ref ?? "", optional: true },
];

/** The subject line of a commit message. */
function firstLine(message: string | null): string {
  return (message ?? "").split("\n", 1)[0] as string;
}

export async function activateDeployment(
  terminal: Terminal,
  site: string,
  number: string,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
  const deployment = await client.post<Deployment>(path`/sites/${site}/deployments/${wanted}/activate`);
  if (options.json) return terminal.json(deployment);
  terminal.done(`Activated deployment ${deployment.deployment_number} of ${site}.`);
}

interface RetentionOptions extends ClientOptions, JsonOption, PolicyOptions {
  readonly dryRun?: boolean;
}

/** Sets the retention policy and prints what it deletes; with --dry-run only prints. */
export async function setRetention(terminal: Terminal, site: string, options: RetentionOptions): Promise<void> {
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

export function pinDeployment(terminal: Terminal, site: string, number: string, options: ClientOptions): Promise<void> {
  return setPinned(terminal, [site, number], true, options);
}

export function unpinDeployment(
  terminal: Terminal,
  site: string,
  number: string,
  options: ClientOptions,
): Promise<void> {
  return setPinned(terminal, [site, number], false, options);
}

// --- internal ---

async function setPinned(
  terminal: Terminal,
  [site, number]: readonly [string, string],
  isPinned: boolean,
  options: ClientOptions,
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
  const pin = path`/sites/${site}/deployments/${wanted}/pin`;
  await (isPinned ? client.post(pin) : client.delete(pin));
  terminal.done(`Deployment ${wanted} of ${site} is ${isPinned ? "pinned" : "unpinned"}.`);
}
