import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";

/** Removes a webhook with its deliveries. */
export async function run(terminal: Terminal, site: string, id: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/sites/${site}/webhooks/${id}`);
  terminal.done(`Removed the webhook ${id}.`);
}
