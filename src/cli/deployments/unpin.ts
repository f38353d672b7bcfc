import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";
import { deploymentNumber } from "./deployment-number.ts";

/** Leaves a deployment to the site's policy again. */
export async function run(terminal: Terminal, site: string, number: string, options: ClientOptions): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
  await client.delete(path`/sites/${site}/deployments/${wanted}/pin`);
  terminal.done(`Deployment ${wanted} of ${site} is unpinned.`);
}
