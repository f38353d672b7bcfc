import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { DomainCapability, DomainClaim } from "../client/types.ts";
import { Failure } from "../errors.ts";
import { spin } from "../terminal/spinner.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { formatSteps, stepsOf } from "./explain.ts";
import { findClaim, listClaims } from "./find-claim.ts";

/** Has the appliance look at a domain, or all of a site's, and explains each step on the way to a connection. */
export async function run(
  terminal: Terminal,
  site: string,
  hostname: string | undefined,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const client = await connect(terminal, options);
  const claims = hostname ? [await findClaim(client, site, hostname)] : await listClaims(client, site, false);
  if (claims.length === 0) throw new Failure(`${site} has no custom domains.`, `vitrine domains add ${site} HOSTNAME`);
  const checked = await spin(terminal, "Looking at DNS", () =>
    Promise.all(claims.map((claim) => client.post<DomainClaim>(path`/sites/${site}/domains/${claim.id}/check`))),
  );
  if (options.json) return terminal.data(JSON.stringify(hostname ? checked[0] : checked, null, 2));
  const { routing_targets: targets } = await client.get<DomainCapability>("/capabilities/custom-domains");
  for (const claim of checked) {
    const state = claim.connection_status.replaceAll("_", " ");
    terminal.data(`${terminal.dataStyle.bold(claim.hostname)}: ${state}`);
    terminal.data(formatSteps(terminal.dataStyle, stepsOf(claim, targets)));
  }
}
