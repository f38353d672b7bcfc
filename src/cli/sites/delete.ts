import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import { Failure } from "../errors.ts";
import { confirm } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";

/** Deletes a site; asks first where there is somebody to ask. */
export async function run(
  terminal: Terminal,
  name: string,
  options: ClientOptions & { readonly yes?: boolean },
): Promise<void> {
  const client = await connect(terminal, options);
  const question = `Delete ${name} with all its deployments at ${client.server}?`;
  if (!options.yes && terminal.canAsk && !(await confirm(terminal, question))) {
    throw new Failure("Nothing was deleted.");
  }
  await client.delete(path`/sites/${name}`);
  terminal.done(`Deleted ${name}.`);
}
