import { domainToASCII } from "node:url";
import { type ApiClient, path } from "../client/client.ts";
import type { DomainCapability, DomainClaim } from "../client/types.ts";
import { Failure } from "../errors.ts";

/** Returns the claims of a site, newest first; only living ones unless all are asked for. */
export async function listClaims(client: ApiClient, site: string, all: boolean): Promise<readonly DomainClaim[]> {
  const claims = await client.list<DomainClaim>(path`/sites/${site}/domains`);
  return all ? claims : claims.filter(isLiving);
}

/** Returns a site's claim of a hostname, the newest where there were several; rejects where there is none. */
export async function findClaim(client: ApiClient, site: string, hostname: string): Promise<DomainClaim> {
  // As the server knows it; what cannot be a name is shown as it was typed.
  const wanted = domainToASCII(hostname.replace(/\.$/, "")) || hostname;
  const claims = (await listClaims(client, site, false)).filter((claim) => claim.hostname === wanted);
  if (claims[0]) return claims[0];
  throw new Failure(`${site} has no domain ${wanted}.`, await howToAdd(client, site, wanted));
}

/** Returns how a custom domain is added, or that none can be as the server is set. */
export async function howToAdd(client: ApiClient, site: string, hostname: string): Promise<string> {
  const { status } = await client.get<DomainCapability>("/capabilities/custom-domains");
  if (status === "disabled") return "Custom domains are off on this server: ask the operator.";
  return `Add ${hostname === "HOSTNAME" ? "one" : "it"}: vitrine domains add ${site} ${hostname}`;
}

/** A claim that still means something: it waits, it is connected, or its removal is under way. */
function isLiving(claim: DomainClaim): boolean {
  return claim.status === "pending" || claim.status === "verified" || claim.route_status === "removing";
}
