import { formatSubject } from "../audit/audit.ts";
import { firstCharacters } from "../characters.ts";
import { addressSubject, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import { siteExpired, siteFrozen } from "../model/freeze.ts";
import type { Publisher } from "../model/publisher.ts";
import { may } from "../model/role.ts";
import type { Claims, IdTokens } from "../ports/id-tokens.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";
import { newSecret } from "../tokens/secret.ts";
import { findStaleClaim, MAX_ID_TOKEN_AGE_MS } from "./freshness.ts";
import { type Difference, matchPublishers } from "./match.ts";
import type { Run } from "./run.ts";

export const EXCHANGED_TOKEN_LIFETIME_MS = 10 * MINUTE;

interface ExchangePorts {
  readonly store: Pick<Store, "sites" | "publishers" | "rateLimits">;
  readonly idTokens: IdTokens;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Pick<Rates, "exchange">;
}

interface ExchangeRequest {
  readonly idToken: string;
  readonly siteName: string;
  /** The client's address. */
  readonly address: string;
  /** The required audience of the ID token. */
  readonly audience: string;
}

/** Why an ID token was not exchanged, with the error code of RFC 8693. `detail` is for people. */
interface Refusal {
  readonly error: "invalid_request" | "invalid_target";
  readonly detail: string;
}

type ExchangeResult = Refusal | { readonly token: string };

/**
 * Exchanges the ID token of a CI run for a deployment token of a site that has a publisher for it. Names the differing
 * claims only to a run of a repository with a publisher; for others, all sites look alike. Throws `too_many_requests`,
 * and `unavailable` while the issuer does not respond.
 */
export async function exchangeIdToken(ports: ExchangePorts, request: ExchangeRequest): Promise<ExchangeResult> {
  const { idTokens, clock } = ports;
  await takeFromLimit(ports, "exchange", addressSubject(request.address), clock.now());
  const checked = await idTokens.check(request.idToken);
  if (checked.kind === "refused") return invalidRequest(checked.why);
  const stale = findStaleClaim(checked.claims, request.audience, clock.now());
  if (stale !== null) return invalidRequest(stale);
  // A second attempt, in case another exchange has pinned the publisher meanwhile.
  for (let attempt = 1; attempt <= 2; attempt++) {
    const result = await exchangeOnce(ports, request, checked);
    if (result !== "changed") return result;
  }
  return NO_PUBLISHER;
}

// --- internal ---

const NO_PUBLISHER: Refusal = {
  error: "invalid_target",
  detail: "no publisher of this site is for the repository of this ID token; the site's owner can add one",
};

const MAKER_GONE: Refusal = {
  error: "invalid_target",
  detail: "the person who added this publisher is no member of the site any more; its owner can add another publisher",
};

/** In characters. */
const MAX_NAME_LENGTH = 100;

interface SignedToken {
  readonly issuer: string;
  readonly claims: Claims;
}

async function exchangeOnce(
  { store, clock, secrets }: ExchangePorts,
  { siteName, address }: ExchangeRequest,
  { issuer, claims }: SignedToken,
): Promise<ExchangeResult | "changed"> {
  const site = await store.sites.find(siteName);
  const match = matchPublishers(site ? await store.publishers.listOfSite(site.id) : [], issuer, claims);
  if (site === null || match.kind === "unknown") return NO_PUBLISHER;
  if (match.kind === "differs") return claimsDiffer(match.differences);
  if (site.expired) return { error: "invalid_target", detail: siteExpired(site.name).detail };
  if (site.frozen) return { error: "invalid_target", detail: siteFrozen(site.name, site.frozen).detail };
  const { publisher, run } = match;
  if (!may(publisher.makerRole, "deploy")) return MAKER_GONE;
  const now = clock.now();
  const token = newSecret(secrets, "vtd");
  const tokenName = nameOf(publisher, run);
  const outcome = await store.publishers.exchange({
    publisherId: publisher.id,
    ids: run.ids!,
    idTokenHash: secrets.sha256(`${issuer} ${claims.jti}`),
    idTokenEndsAt: (claims.iat as number) * 1000 + MAX_ID_TOKEN_AGE_MS,
    token: {
      id: secrets.random(10).toHex(),
      siteId: site.id,
      makerId: publisher.makerId,
      name: tokenName,
      permission: publisher.permission,
      tokenHash: secrets.sha256(token),
      createdAt: now,
      expiresAt: now + EXCHANGED_TOKEN_LIFETIME_MS,
    },
    audit: {
      at: now,
      kind: "deployment_token",
      actor: tokenName,
      userId: null,
      address,
      action: "POST /auth/token",
      site: site.name,
      subject: formatSubject({ publisher_id: publisher.id }),
    },
  });
  if (outcome === "replayed") return invalidRequest("jti: the ID token was used before; request a fresh one");
  return outcome === "changed" ? outcome : { token };
}

function invalidRequest(detail: string): Refusal {
  return { error: "invalid_request", detail };
}

function claimsDiffer(differences: readonly Difference[]): Refusal {
  const claims = differences.map(({ claim, why }) => `${claim}: ${why}`).join("; ");
  return { error: "invalid_target", detail: `the ID token does not fit the publisher: ${claims}` };
}

/** The actor of its deployments in the history. */
function nameOf({ repository }: Publisher, run: Run): string {
  const name = [run.repository ?? repository, ...(run.workflow === null ? [] : [`(${run.workflow})`])].join(" ");
  return firstCharacters(name, MAX_NAME_LENGTH);
}
