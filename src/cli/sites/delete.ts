import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import { confirm } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";

/** Deletes a site, once somebody has agreed to it. */
export async function run(
  terminal: Terminal,
  name: string,
  options: ClientOptions & { readonly yes?: boolean },
): Promise<void> {
  const client = await connect(terminal, options);
  const question = `Delete ${name} with all its deployments at ${client.server}?`;
  if (!options.yes && !(await confirm(terminal, question, "Confirm with --yes."))) return;
  await client.delete(path`/sites/${name}`);
  terminal.done(`Deleted ${name}.`);
}
