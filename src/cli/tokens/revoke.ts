import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";

/** Ends a deployment token; its next use is refused. */
export async function run(terminal: Terminal, id: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/tokens/${id}`);
  terminal.say(`${terminal.style.green("✓")} Revoked ${id}.`);
}
