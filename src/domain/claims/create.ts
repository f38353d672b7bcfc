import { requireAliasLabel } from "../deployments/alias-label.ts";
import { noSuchAlias } from "../deployments/previews.ts";
import { DomainError } from "../errors.ts";
import { describeRate } from "../limits/rate-limit.ts";
import { requireChangeableSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Claim } from "../model/claim.ts";
import type { Rate } from "../model/rate.ts";
import type { ClaimCreation, CreationLimits } from "../ports/store/claims.ts";
import { domainCapability } from "./capability.ts";
import { randomToken } from "./challenge.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { parseHostname } from "./hostname.ts";
import { whyClosed } from "./why-closed.ts";

/**
 * Claims a hostname for a site of the caller, or for one of its aliases. Throws `invalid` for a hostname that cannot be
 * claimed, `not_found`, `forbidden`, `conflict` also if custom domains are off, `unavailable` while they are not ready
 * yet, and `too_many_requests`.
 */
export async function createClaim(
  ports: ClaimPorts,
  caller: Caller,
  request: { readonly siteName: string; readonly hostname: string; readonly alias: string | null },
): Promise<Claim> {
  const labelOn = (name: string) => (request.alias === null ? null : labelOf(ports, name, request.alias));
  // An invalid alias is refused before a missing site. The request may have a former name of the site.
  labelOn(request.siteName);
  const hostname = parseHostname(request.hostname, ports.suffixes, ports.domains.own);
  const site = await requireChangeableSite(ports.store, caller, request.siteName, "manage_domains");
  const alias = labelOn(site.name);
  if (alias !== null && !(await ports.store.previews.findRoute(site.id, alias))) throw noSuchAlias(site.name, alias);
  await requireReady(ports);
  const now = ports.clock.now();
  const rates = creationRates(ports);
  const { mostPending } = ports.domains;
  const creation = await ports.store.claims.create(
    {
      hostname,
      alias,
      siteId: site.id,
      ownerId: site.ownerId,
      proofToken: randomToken(ports.secrets),
      probeToken: randomToken(ports.secrets),
      probeResponse: randomToken(ports.secrets),
      createdAt: now,
    },
    { rates, mostPending },
  );
  if (creation.outcome === "created") return creation.claim;
  throw refusal(creation, { hostname, siteName: site.name, now, rates, mostPending });
}

function labelOf({ secrets }: ClaimPorts, siteName: string, alias: string): string {
  return requireAliasLabel(alias, siteName, secrets.sha256, ["body", "target", "alias"]);
}

/** The rate limits for new claims of a user, shortest window first. */
function creationRates({ rates: { claim, claimBurst } }: ClaimPorts): readonly Rate[] {
  const rates = [claim, claimBurst].filter((rate) => rate !== null);
  return rates.sort((one, other) => one.window - other.window);
}

async function requireReady(ports: ClaimPorts): Promise<void> {
  const { status, routingEnabled } = await domainCapability(ports);
  if (status === "ready") return;
  const why = whyClosed(status, routingEnabled);
  // What only the operator can change is no failure of the server: a 5xx raises an alarm.
  if (status === "disabled" || !routingEnabled) throw new DomainError("conflict", why);
  throw new DomainError("unavailable", why, { retryAfter: 30 });
}

interface Attempt extends CreationLimits {
  readonly hostname: string;
  readonly siteName: string;
  readonly now: number;
}

function refusal(
  creation: Exclude<ClaimCreation, { outcome: "created" }>,
  { hostname, siteName, now, rates, mostPending }: Attempt,
): DomainError {
  switch (creation.outcome) {
    case "held_by_owner": {
      const holder = creation.siteName === siteName ? "this site" : `your site ${creation.siteName}`;
      return new DomainError("conflict", `${hostname} is already claimed by ${holder}`);
    }
    case "verified_elsewhere":
      return new DomainError("conflict", `${hostname} is already verified for another site`);
    case "too_many": {
      const detail = `too many claims: at most ${rates.map(describeRate).join(" and ")} can be made`;
      return tooMany(detail, creation.retryAt - now);
    }
    case "too_many_pending": {
      const detail = `too many claims: ${siteName} has ${mostPending} that are not verified yet: verify or remove one`;
      return tooMany(detail, creation.retryAt - now);
    }
    default:
      return creation satisfies never;
  }
}

function tooMany(detail: string, milliseconds: number): DomainError {
  return new DomainError("too_many_requests", detail, { retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) });
}
