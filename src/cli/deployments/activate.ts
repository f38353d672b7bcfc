import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Deployment } from "../client/types.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { deploymentNumber } from "./deployment-number.ts";

/** Makes a deployment the site's active one. */
export async function run(
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
