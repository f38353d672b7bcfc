import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions } from "../verb.ts";
import { findClaim } from "./find-claim.ts";

/** Gives a hostname up; a connected one stops answering within a minute. */
export async function run(terminal: Terminal, site: string, hostname: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  const claim = await findClaim(client, site, hostname);
  await client.delete(path`/sites/${site}/domains/${claim.id}`);
  terminal.done(`Removed ${claim.hostname}. Visitors get 404 there within a minute.`);
  terminal.say(`You can delete the TXT record ${claim.verification.name}.`);
}
