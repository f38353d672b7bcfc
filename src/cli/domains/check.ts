import { type ApiClient, path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { DomainCapability, DomainClaim } from "../client/types.ts";
import { Failure } from "../errors.ts";
import { spin } from "../terminal/spinner.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { findClaim, howToAdd, listClaims } from "./find-claim.ts";
import { formatSteps, stepsOf } from "./steps.ts";

/**
 * Has the server look at a domain, or all of a site's, and explains each step on the way to a connection. One that
 * cannot be looked at hides none of the others, and is what the command fails with in the end.
 */
export async function run(
  terminal: Terminal,
  site: string,
  hostname: string | undefined,
  options: ClientOptions & JsonOption,
): Promise<void> {
  const client = await connect(terminal, options);
  const claims = hostname ? [await findClaim(client, site, hostname)] : await listStaying(client, site);
  if (claims.length === 0) {
    throw new Failure(`${site} has no custom domains.`, await howToAdd(client, site, "HOSTNAME"));
  }
  const looks = await spin(terminal, "Checking DNS", () =>
    Promise.allSettled(claims.map((claim) => client.post<DomainClaim>(path`/sites/${site}/domains/${claim.id}/check`))),
  );
  const checked = looks.flatMap((look) => (look.status === "fulfilled" ? [look.value] : []));
  const failed = looks.find((look) => look.status === "rejected");
  if (failed && checked.length === 0) throw failed.reason;
  if (options.json) terminal.json(hostname ? checked[0] : checked);
  else await explain(terminal, client, checked);
  if (failed) throw failed.reason;
}

/** One that is being removed is not looked at any more. */
async function listStaying(client: ApiClient, site: string): Promise<readonly DomainClaim[]> {
  return (await listClaims(client, site, false)).filter((claim) => claim.withdrawn_at === null);
}

async function explain(terminal: Terminal, client: ApiClient, claims: readonly DomainClaim[]): Promise<void> {
  const { routing_targets: targets } = await client.get<DomainCapability>("/capabilities/custom-domains");
  for (const claim of claims) {
    const state = claim.connection_status.replaceAll("_", " ");
    terminal.data(`${terminal.dataStyle.bold(claim.hostname)}: ${state}`);
    terminal.data(formatSteps(terminal.dataStyle, stepsOf(claim, targets)));
  }
}
