import type { Alias, Deployment, Retention, RetentionPreview } from "../api/schemas/types.ts";
import {
  deploymentNumber,
  type PageOptions,
  type PolicyOptions,
  type PolicyWish,
  pageQuery,
  policyOf,
} from "./arguments.ts";
import { type ApiClient, path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { allDeployments } from "./deploying/all-deployments.ts";
import { siteOfFolder } from "./deploying/remembered-site.ts";
import { Failure } from "./terminal/errors.ts";
import { confirm } from "./terminal/prompt.ts";
import { type Column, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes, formatTime, formatTimeLeft } from "./terminal/units.ts";

export async function listDeployments(
  terminal: Terminal,
  site: string,
  options: ClientListOptions & PageOptions,
): Promise<void> {
  const page = pageQuery(options);
  const client = await connect(terminal, options);
  const deployments = await client.list<Deployment>(path`/sites/${site}/deployments` + page);
  if (options.json) return terminal.json(deployments);
  const aliases = await client.list<Alias>(path`/sites/${site}/aliases`);
  const aliasesOf = ({ deployment_number: number }: Deployment) =>
    aliases.filter((alias) => alias.deployment_number === number).map(({ name }) => name);
  const rows = deployments.map((deployment) => ({ ...deployment, aliases: aliasesOf(deployment) }));
  printTable(terminal, COLUMNS, rows, options);
}

const COLUMNS: readonly Column<Deployment & { readonly aliases: readonly string[] }>[] = [
  { title: "NUMBER", value: ({ deployment_number }) => String(deployment_number) },
  { title: "STATE", value: stateOf },
  { title: "CREATED", value: ({ created_at }) => formatTime(created_at) },
  { title: "ALIAS", value: ({ aliases }) => aliases.join(", "), cut: 12, optional: true },
  { title: "EXPIRES", value: ({ expires_at }) => (expires_at ? formatTimeLeft(expires_at) : ""), optional: true },
  { title: "MESSAGE", value: ({ message }) => firstLine(message), cut: 12, optional: true },
  { title: "BY", value: ({ actor }) => actor, cut: 12, optional: true },
  { title: "FILES", value: ({ file_count }) => file_count.toLocaleString("en"), optional: true },
  { title: "SIZE", value: ({ size_bytes }) => formatBytes(size_bytes), optional: true },
  { title: "URL", value: ({ url }) => url, optional: true },
  { title: "COMMIT", value: ({ commit }) => commit ?? "", optional: true },
  { title: "REF", value: ({ ref }) => ref ?? "", optional: true },
];

/** A preview was never live, and an earlier deployment was. */
function stateOf({ active, activated_at }: Deployment): string {
  if (active) return "live";
  return activated_at === null ? "preview" : "earlier";
}

/** The subject line of a commit message. */
function firstLine(message: string | null): string {
  return (message ?? "").split("\n", 1)[0] as string;
}

export async function activateDeployment(
  terminal: Terminal,
  site: string,
  number: string,
  options: ClientOptions,
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
  const deployment = await client.post<Deployment>(path`/sites/${site}/deployments/${wanted}/activate`);
  if (options.json) return terminal.json(deployment);
  terminal.done(`Activated deployment ${deployment.deployment_number} of ${site}.`);
}

export async function deleteDeployment(
  terminal: Terminal,
  site: string,
  number: string,
  options: ClientOptions & { readonly yes?: boolean },
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
  const question = `Delete deployment ${wanted} of ${site} at ${client.server}? This cannot be undone.`;
  if (!options.yes && !(await confirm(terminal, question, "Confirm with --yes."))) return;
  await client.delete(path`/sites/${site}/deployments/${wanted}`);
  if (options.json) return terminal.json({ site_name: site, deployment_number: wanted });
  terminal.done(`Deleted deployment ${wanted} of ${site}.`);
  terminal.say("Its URLs no longer work, and files that only it had are deleted within a minute.");
}

/** Activates the deployment that was live before the live one. The site is by default that of the working folder. */
export async function rollBack(terminal: Terminal, named: string | undefined, options: ClientOptions): Promise<void> {
  const site = named ?? (await siteOfFolder("vitrine rollback SITE"));
  const client = await connect(terminal, options);
  const { live, earlier } = await findEarlier(client, site);
  const activate = path`/sites/${site}/deployments/${earlier.deployment_number}/activate`;
  const deployment = await client.post<Deployment>(activate);
  if (options.json) return terminal.json(deployment);
  terminal.done(`Visitors of ${site} now get deployment ${earlier.deployment_number} instead of ${live}.`);
  terminal.say(`Undo it: vitrine deployments activate ${site} ${live}`);
}

/** Returns the number of the live deployment, and the newest one before it that was live. Throws `Failure`. */
async function findEarlier(
  client: ApiClient,
  site: string,
): Promise<{ readonly live: number; readonly earlier: Deployment }> {
  let live: number | null = null;
  for await (const deployment of allDeployments(client, site)) {
    if (deployment.active) live = deployment.deployment_number;
    else if (live !== null && deployment.activated_at !== null) return { live, earlier: deployment };
  }
  const problem = live === null ? "has no live deployment" : `had no live deployment before ${live}`;
  throw new Failure(`${site} ${problem}`, `See its deployments: vitrine deployments list ${site}`);
}

interface RetentionOptions extends ClientOptions, PolicyOptions {
  readonly dryRun?: boolean;
}

/** Sets the retention policy and prints what it deletes; with --dry-run only prints. */
export async function setRetention(terminal: Terminal, site: string, options: RetentionOptions): Promise<void> {
  const policy = policyOf(options);
  const client = await connect(terminal, options);
  const retention = path`/sites/${site}/retention`;
  if (options.dryRun !== true) {
    if (policy === "default") await client.delete(retention);
    else await client.put(retention, await policyRequest(client, retention, policy));
  }
  const query = new URLSearchParams(policy === "default" ? { default: "true" } : {});
  if (policy !== "default") {
    for (const [name, value] of Object.entries(fieldsOf(policy))) if (value !== null) query.set(name, String(value));
  }
  const preview = await client.get<RetentionPreview>(`${retention}/preview?${query}`);
  if (options.json) return terminal.json(preview);
  if (preview.deployments.length === 0) return terminal.say("No deployments will be deleted.");
  const frees = `${count(preview.deployments.length, "deployment")}, which frees ${formatBytes(preview.bytes)}`;
  terminal.say(options.dryRun ? `This would delete ${frees}.` : `Within the hour, this deletes ${frees}.`);
}

export async function setPin(
  terminal: Terminal,
  state: "pinned" | "unpinned",
  site: string,
  number: string,
  options: ClientOptions,
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
  const pin = path`/sites/${site}/deployments/${wanted}/pin`;
  await (state === "pinned" ? client.post(pin) : client.delete(pin));
  terminal.done(`Deployment ${wanted} of ${site} is ${state}.`);
}

// --- internal ---

/** The fields of the API, without those that are not given. */
function fieldsOf({ last, days, graceDays }: Exclude<PolicyWish, "default">) {
  return {
    ...(last === undefined ? {} : { keep_last: last }),
    ...(days === undefined ? {} : { keep_days: days }),
    ...(graceDays === undefined ? {} : { grace_days: graceDays }),
  };
}

/** A grace period alone leaves the rules as they are. */
async function policyRequest(client: ApiClient, retention: string, wish: Exclude<PolicyWish, "default">) {
  if (wish.last !== undefined) return fieldsOf(wish);
  const { effective } = await client.get<Retention>(retention);
  return { keep_last: effective.keep_last, keep_days: effective.keep_days, ...fieldsOf(wish) };
}
