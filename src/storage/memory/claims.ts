import { CLOCK_TOLERANCE, decideCheckLease, leaseHolder } from "../../domain/claims/check-lease.ts";
import { checkClaimAllowed } from "../../domain/claims/claim-allowed.ts";
import { deletedMeanwhile } from "../../domain/errors.ts";
import { claimChanged } from "../../domain/events/changes.ts";
import {
  type Claim,
  changesRouting,
  isOpen,
  type NewClaim,
  OPEN_STATUSES,
  startClaim,
} from "../../domain/model/claim.ts";
import { claimEvents } from "../../domain/model/events.ts";
import type { Rate } from "../../domain/model/rate.ts";
import type { ClaimCreation, ClaimStore, CreationLimits } from "../../domain/ports/store/claims.ts";
import type { SiteRoute } from "../../domain/ports/store/sites.ts";
import { routeOf } from "./sites.ts";
import { by, type ClaimRow, type Memory } from "./tables.ts";
import { noteEvents } from "./webhooks.ts";

/** Rolls back a save. */
class NotSaved extends Error {
  constructor(readonly outcome: "conflict" | "route_taken") {
    super(outcome);
  }
}

const NO_CHECK = { checkHolder: null, checkUntil: null };

export function claimStore(memory: Memory): ClaimStore {
  const { claims } = memory;
  const plannedOf = (isMeant: (claim: ClaimRow) => boolean, limit: number) =>
    claims
      .filter(isMeant)
      .sort(by(({ nextCheckAt }) => nextCheckAt ?? 0))
      .slice(0, limit)
      .map(({ id }) => id);
  const first = (claim: ClaimRow | undefined) => (claim ? claimOf(memory, claim) : null);

  return {
    create: (claim, limits) => createClaim(memory, claim, limits),
    find: async (id) => first(claims.find({ id })),
    listOfSite: (siteId) => listOfSite(memory, siteId),
    listOpenOfOwner: (ownerId) => listOpenOfOwner(memory, ownerId),
    findHolder: async (hostname) => first(claims.find({ hostname, status: "verified" })),
    isClaimed: async (siteId, hostname) => claims.filter({ siteId, hostname }).some(isInForce),
    save: (changed, at) => saveClaims(memory, changed, at),

    async takeCheck(id, { holder, ...request }) {
      const turn = decideCheckLease(claims.find({ id }) ?? null, request);
      if (turn.outcome === "begun") claims.update({ id }, { checkHolder: holder, checkUntil: request.until });
      return turn;
    },
    async releaseCheck(id, { holder, now, silent }) {
      claims.update({ id, checkHolder: holder }, { ...NO_CHECK, checkedAt: now, checkSilent: silent });
    },
    async endChecks(node) {
      claims.update(({ checkHolder }) => checkHolder?.startsWith(leaseHolder(node, "")) ?? false, NO_CHECK);
    },

    async listDue(now, horizon, limit) {
      const isOvertaken = ({ checkedAt, createdAt }: ClaimRow) => (checkedAt ?? createdAt) > now + CLOCK_TOLERANCE;
      return plannedOf((claim) => isOpen(claim) && (isDue(claim, now, horizon) || isOvertaken(claim)), limit);
    },
    async postpone(id, at) {
      claims.update({ id }, { nextCheckAt: at });
    },
    async bringForward(id, now) {
      const isLater = (claim: ClaimRow) => claim.id === id && claim.nextCheckAt !== null && claim.nextCheckAt > now;
      claims.update(isLater, ({ attempts }) => ({ nextCheckAt: now, attempts: attempts - 1 }));
    },
    listExpired: async (now, limit) =>
      plannedOf(({ status, expiresAt }) => status === "pending" && expiresAt <= now, limit),
    listRemovals: async (now, horizon, limit) =>
      plannedOf((claim) => claim.routeStatus === "removing" && isDue(claim, now, horizon), limit),

    async findChallengeResponse(probeToken) {
      const claim = claims.find({ probeToken });
      return claim && isOpen(claim) ? claim.probeResponse : null;
    },
    findRouted: (hostname) => findRouted(memory, hostname),
    canonicalHostname: (siteId) => canonicalHostname(memory, siteId),
    listRouted: async () => claims.filter({ routeStatus: "routed" }).map(({ hostname }) => hostname),
  };
}

// --- internal ---

async function listOfSite(memory: Memory, siteId: number): Promise<readonly Claim[]> {
  const { claims } = memory;
  return claims
    .filter({ siteId })
    .sort(by(({ id }) => -id))
    .map((claim) => claimOf(memory, claim));
}

async function createClaim(
  memory: Memory,
  claim: NewClaim,
  { rates, mostPending }: CreationLimits,
): Promise<ClaimCreation> {
  const { claims, sites } = memory;
  const pending = claims.filter({ siteId: claim.siteId, status: "pending" });
  const refusal = checkClaimAllowed(claim, {
    open: claims
      .filter({ hostname: claim.hostname })
      .filter(isInForce)
      .map((other) => claimOf(memory, other)),
    roomAt: rates.map((rate) => roomAt(memory, claim, rate)),
    pendingUntil: pending.map(({ expiresAt }) => expiresAt).sort((one, other) => one - other),
    mostPending,
  });
  if (refusal) return refusal;
  if (!sites.find({ id: claim.siteId })) throw deletedMeanwhile("site");
  const made = claims.insert({
    ...startClaim(claim),
    ...NO_CHECK,
    revision: 1,
    checkedAt: null,
    checkSilent: false,
  });
  const created = claimOf(memory, made);
  memory.announce(claimChanged(claim.siteId, null, created));
  return { outcome: "created", claim: created };
}

async function saveClaims(
  memory: Memory,
  changed: readonly Claim[],
  at: number,
): Promise<"saved" | "conflict" | "route_taken"> {
  const { claims } = memory;
  const save = () => {
    for (const claim of changed) saveOne(memory, claim, at);
  };
  try {
    const concerned = changed.flatMap(({ id, siteId }) =>
      [siteId, claims.find({ id })?.siteId].flatMap((one) => one ?? []),
    );
    if (!changed.some((claim) => changesRouting(claims.find({ id: claim.id }), claim))) memory.write(save);
    else
      memory.writeRouting((affects) => {
        affects(...concerned);
        save();
      });
    return "saved";
  } catch (error) {
    if (error instanceof NotSaved) return error.outcome;
    throw error;
  }
}

async function findRouted(memory: Memory, hostname: string): Promise<(SiteRoute & Pick<Claim, "alias">) | null> {
  const { claims, sites } = memory;
  const claim = claims.find({ hostname, routeStatus: "routed" });
  const site = claim && sites.find((row) => row.id === claim.siteId);
  return site ? { ...routeOf(memory, site), alias: claim.alias } : null;
}

async function canonicalHostname({ claims }: Memory, siteId: number): Promise<string | null> {
  const routed = claims
    .filter({ siteId, routeStatus: "routed", alias: null })
    .filter(({ activatedAt }) => activatedAt !== null);
  const [oldest] = routed.sort(
    by(
      ({ activatedAt }) => activatedAt ?? 0,
      ({ id }) => id,
    ),
  );
  return oldest?.hostname ?? null;
}

async function listOpenOfOwner(memory: Memory, ownerId: number): Promise<readonly Claim[]> {
  const { claims } = memory;
  return claims
    .filter({ ownerId })
    .filter(isInForce)
    .sort(by(({ id }) => id))
    .map((claim) => claimOf(memory, claim));
}

function claimOf({ sites }: Memory, row: ClaimRow): Claim {
  const { checkHolder: _, checkUntil: __, checkedAt: ___, checkSilent: ____, ...claim } = row;
  return { ...claim, siteName: sites.find((site) => site.id === claim.siteId)?.name ?? null };
}

function isInForce({ status }: ClaimRow): boolean {
  return OPEN_STATUSES.includes(status);
}

function isDue({ nextCheckAt }: ClaimRow, now: number, horizon: number): boolean {
  return nextCheckAt !== null && (nextCheckAt <= now || nextCheckAt > horizon);
}

/** Returns when the owner may create another claim: once the oldest of the last `count` has left the rate's window. */
function roomAt({ claims }: Memory, { ownerId, createdAt }: NewClaim, { count, window }: Rate): number {
  const times = claims.filter({ ownerId }).map((claim) => claim.createdAt);
  const recent = times.filter((at) => at > createdAt - window && at <= createdAt).sort((one, other) => other - one);
  const oldest = recent[count - 1];
  return oldest === undefined ? createdAt : oldest + window;
}

function saveOne(memory: Memory, claim: Claim, at: number): void {
  const { claims } = memory;
  const before = claims.find({ id: claim.id, revision: claim.revision });
  if (!before) throw new NotSaved("conflict");
  // A site that was deleted meanwhile stays deleted, and its ended claims lose it.
  const { siteName: _, siteId: __, ...facts } = claim;
  claims.update({ id: claim.id }, { ...facts, revision: claim.revision + 1 });
  const ofName = claims.filter({ hostname: claim.hostname });
  if (ofName.filter(({ status }) => status === "verified").length > 1) throw new NotSaved("conflict");
  if (ofName.filter(({ routeStatus }) => routeStatus === "routed" || routeStatus === "removing").length > 1) {
    throw new NotSaved("route_taken");
  }
  if (before.siteId === null) return;
  noteEvents(memory, before.siteId, at, () => claimEvents(claimOf(memory, before), claim));
  memory.announce(claimChanged(before.siteId, claimOf(memory, before), claim));
}
