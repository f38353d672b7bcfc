import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import type { DomainClaim } from "../client/types.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ClientOptions, JsonOption } from "../verb.ts";
import { findClaim } from "./find-claim.ts";

/** Retries or cancels a domain's move between direct and proxy mode, and returns the claim as it is then. */
export async function moveTransition(
  terminal: Terminal,
  what: "retry" | "cancel",
  site: string,
  hostname: string,
  options: ClientOptions & JsonOption,
): Promise<DomainClaim> {
  const client = await connect(terminal, options);
  const { id } = await findClaim(client, site, hostname);
  const claim = await client.post<DomainClaim>(path`/sites/${site}/domains/${id}/transition/${what}`);
  if (options.json) terminal.json(claim);
  return claim;
}
