import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { DomainCapability, DomainClaim } from "../client/types.ts";
import { spin } from "../terminal/spinner.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { formatSteps, stepsOf } from "./steps.ts";
import { waitUntilConnected } from "./wait.ts";

interface Options extends ClientOptions, JsonOption {
  readonly wait?: boolean;
}

/** Claims a hostname for a site and shows the records to set; waits for the connection where that was asked for. */
export async function run(terminal: Terminal, site: string, hostname: string, options: Options): Promise<void> {
  const client = await connect(terminal, options);
  const claim = await client.post<DomainClaim>(path`/sites/${site}/domains`, { hostname });
  const { routing_targets: targets } = await client.get<DomainCapability>("/capabilities/custom-domains");
  terminal.done(`Added ${claim.hostname} to ${site}. Next steps:`);
  terminal.say(formatSteps(terminal.style, stepsOf(claim, targets)));
  const done = options.wait ? await waitHere() : claim;
  const { name, type, value } = claim.verification;
  if (options.json) terminal.json(done);
  else terminal.data(`${name} ${type} ${value}`);
  if (!options.wait) terminal.say(`Check the progress: vitrine domains check ${site} ${claim.hostname}`);

  async function waitHere(): Promise<DomainClaim> {
    const connected = await spin(terminal, "Waiting for DNS (Ctrl-C stops waiting; the server goes on)", () =>
      waitUntilConnected(client, site, claim, (step) => terminal.say(step), Bun.sleep),
    );
    terminal.say(formatSteps(terminal.style, stepsOf(connected, targets)));
    return connected;
  }
}
