import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  like,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { decideTurn, turnHolder } from "../../domain/claims/check-turn.ts";
import { checkClaimAllowed } from "../../domain/claims/claim-allowed.ts";
import { claimChanged } from "../../domain/events/changes.ts";
import { type Claim, type NewClaim, startClaim } from "../../domain/model/claim.ts";
import { claimEvents } from "../../domain/model/events.ts";
import type { Rate } from "../../domain/model/rate.ts";
import type { CheckTurn, ClaimCreation, ClaimStore, CreationLimits } from "../../domain/ports/store/claims.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { addingTo, violatedConstraint } from "./failures.ts";
import { announce } from "./live-events.ts";
import { takeTurn } from "./locks.ts";
import { findNotifiedSite, note } from "./outbox.ts";
import { first } from "./rows.ts";
import { claims, deployments, sites, users } from "./schema.ts";
import { routeColumns } from "./sites.ts";

const { checkHolder, checkUntil, checkedAt, checkSilent, ...facts } = getTableColumns(claims);
const claimColumns = { ...facts, siteName: sites.name };

/** The clocks of nodes differ slightly; a clock that was set back by less than this hardly delays anything. */
const CLOCK_TOLERANCE = MINUTE;

const isOpen = inArray(claims.status, ["pending", "verified"]);
const isRouted = eq(claims.routeStatus, "routed");

export function claimStore(connection: Connection): ClaimStore {
  const { read, write, writeRelaxed } = connection;
  return {
    create: (claim, limits) =>
      addingTo(
        "site",
        write((tx) => create(tx, claim, limits)),
      ),

    find: (id) => read((db) => first(selectClaims(db).where(eq(claims.id, id)))),
    listOfSite: (siteId) => read((db) => selectClaims(db).where(eq(claims.siteId, siteId)).orderBy(desc(claims.id))),

    async listOpenOfOwner(ownerId) {
      const open = and(eq(claims.ownerId, ownerId), isOpen);
      return read((db) => selectClaims(db).where(open).orderBy(asc(claims.id)));
    },

    async findHolder(hostname) {
      const verified = and(eq(claims.hostname, hostname), eq(claims.status, "verified"));
      return read((db) => first(selectClaims(db).where(verified)));
    },

    async isClaimed(siteId, hostname) {
      const open = and(eq(claims.siteId, siteId), eq(claims.hostname, hostname), isOpen);
      const claimed = (db: Drizzle) => first(db.select({ id: claims.id }).from(claims).where(open).limit(1));
      return (await read(claimed)) !== null;
    },

    save: (changed, at) => save(connection, changed, at),
    takeCheck: (id, turn) => writeRelaxed((tx) => takeCheck(tx, id, turn)),

    async giveBackCheck(id, { holder, now, silent }) {
      const back = { checkHolder: null, checkUntil: null, checkedAt: now, checkSilent: silent };
      const own = and(eq(claims.id, id), eq(claims.checkHolder, holder));
      await writeRelaxed((tx) => tx.update(claims).set(back).where(own));
    },

    async endChecks(node) {
      const ended = { checkHolder: null, checkUntil: null };
      const own = like(claims.checkHolder, turnHolder(node, "%"));
      await writeRelaxed((tx) => tx.update(claims).set(ended).where(own));
    },

    async listDue(now, horizon, limit) {
      const overtaken = gt(sql`coalesce(${claims.checkedAt}, ${claims.createdAt})`, now + CLOCK_TOLERANCE);
      const due = and(isOpen, isNull(claims.withdrawnAt), or(isDue(now, horizon), overtaken));
      return read((db) => listIds(db, due, limit));
    },

    async postpone(id, at) {
      await writeRelaxed((tx) => tx.update(claims).set({ nextCheckAt: at }).where(eq(claims.id, id)));
    },

    async bringForward(id, now) {
      const due = { nextCheckAt: now, attempts: sql`${claims.attempts} - 1` };
      const later = and(eq(claims.id, id), gt(claims.nextCheckAt, now));
      await writeRelaxed((tx) => tx.update(claims).set(due).where(later));
    },

    listExpired: (now, limit) =>
      read((db) => listIds(db, and(eq(claims.status, "pending"), lte(claims.expiresAt, now)), limit)),
    listRemovals: (now, horizon, limit) =>
      read((db) => listIds(db, and(eq(claims.routeStatus, "removing"), isDue(now, horizon)), limit)),

    async findChallengeAnswer(probeToken) {
      const awaited = and(eq(claims.probeToken, probeToken), isOpen, isNull(claims.withdrawnAt));
      const found = await read((db) => first(db.select({ answer: claims.probeAnswer }).from(claims).where(awaited)));
      return found?.answer ?? null;
    },

    async findRouted(hostname) {
      return read((db) =>
        first(
          db
            .select({ ...routeColumns, alias: claims.alias })
            .from(claims)
            .innerJoin(sites, eq(sites.id, claims.siteId))
            .innerJoin(users, eq(users.id, sites.ownerId))
            .leftJoin(deployments, eq(deployments.id, sites.activeDeploymentId))
            .where(and(eq(claims.hostname, hostname), isRouted)),
        ),
      );
    },

    async canonicalHostname(siteId) {
      const shown = and(eq(claims.siteId, siteId), isRouted, isNull(claims.alias), gt(claims.activatedAt, 0));
      const found = await read((db) =>
        first(
          db
            .select({ hostname: claims.hostname })
            .from(claims)
            .where(shown)
            .orderBy(asc(claims.activatedAt), asc(claims.id))
            .limit(1),
        ),
      );
      return found?.hostname ?? null;
    },

    async listRouted() {
      const rows = await read((db) => db.select({ hostname: claims.hostname }).from(claims).where(isRouted));
      return rows.map(({ hostname }) => hostname);
    },
  };
}

// --- internal ---

function selectClaims(db: Drizzle) {
  return db.select(claimColumns).from(claims).leftJoin(sites, eq(sites.id, claims.siteId));
}

function isDue(now: number, horizon: number): SQL | undefined {
  return or(lte(claims.nextCheckAt, now), gt(claims.nextCheckAt, horizon));
}

async function listIds(db: Drizzle, which: SQL | undefined, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: claims.id })
    .from(claims)
    .where(which)
    .orderBy(asc(claims.nextCheckAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/**
 * Makes claims of the same owner or of the same site run one after the other, so that each sees the effect of the
 * previous one.
 */
async function create(tx: Drizzle, claim: NewClaim, { rates, mostPending }: CreationLimits): Promise<ClaimCreation> {
  await takeTurn(tx, `claims of ${claim.ownerId}`);
  await lockSite(tx, claim.siteId);
  const open = await tx
    .select({ ownerId: claims.ownerId, status: claims.status, siteName: sites.name })
    .from(claims)
    .leftJoin(sites, eq(sites.id, claims.siteId))
    .where(and(eq(claims.hostname, claim.hostname), isOpen));
  const refusal = checkClaimAllowed(claim, {
    open,
    roomAt: await Promise.all(rates.map((rate) => roomAt(tx, claim, rate))),
    pendingUntil: await pendingUntil(tx, claim.siteId),
    mostPending,
  });
  if (refusal) return refusal;
  const added = tx.insert(claims).values({ ...startClaim(claim), revision: 1 });
  const { id } = (await first(added.returning({ id: claims.id })))!;
  const created = (await first(selectClaims(tx).where(eq(claims.id, id))))!;
  await announce(tx, claimChanged(claim.siteId, null, created));
  return { outcome: "created", claim: created };
}

/**
 * Returns when the owner may make another claim under a rate: once the oldest of the last `count` has left the window.
 */
async function roomAt(tx: Drizzle, { ownerId, createdAt }: NewClaim, { count, window }: Rate): Promise<number> {
  const recent = and(gt(claims.createdAt, createdAt - window), lte(claims.createdAt, createdAt));
  const oldest = await first(
    tx
      .select({ createdAt: claims.createdAt })
      .from(claims)
      .where(and(eq(claims.ownerId, ownerId), recent))
      .orderBy(desc(claims.createdAt))
      .limit(1)
      .offset(count - 1),
  );
  return oldest ? oldest.createdAt + window : createdAt;
}

/** Returns the deadlines of the site's pending claims, the earliest first. */
async function pendingUntil(tx: Drizzle, siteId: number): Promise<readonly number[]> {
  const pending = and(eq(claims.siteId, siteId), eq(claims.status, "pending"));
  const ends = tx.select({ expiresAt: claims.expiresAt }).from(claims).where(pending);
  return (await ends.orderBy(asc(claims.expiresAt))).map(({ expiresAt }) => expiresAt);
}

class Stale extends Error {}

async function save(
  { read, write, writeRouting }: Connection,
  changed: readonly Claim[],
  at: number,
): Promise<"saved" | "conflict" | "route_taken"> {
  const stored = await read((db) => storedRoutes(db, changed));
  try {
    if (!isRouting(stored, changed)) await write((tx) => saveAll(tx, changed, at));
    else
      await writeRouting((tx, affects) => {
        affects(...[...stored, ...changed].flatMap(({ siteId }) => siteId ?? []));
        return saveAll(tx, changed, at);
      });
    return "saved";
  } catch (error) {
    if (error instanceof Stale) return "conflict";
    const constraint = violatedConstraint(error);
    if (constraint === "claims_verified") return "conflict";
    if (constraint === "claims_routed")
      return (await isAnyVerifiedElsewhere(read, changed)) ? "conflict" : "route_taken";
    throw error;
  }
}

type StoredRoute = Pick<Claim, "id" | "siteId" | "routeStatus" | "activatedAt">;

function storedRoutes(db: Drizzle, changed: readonly Claim[]): Promise<readonly StoredRoute[]> {
  const { id, siteId, routeStatus, activatedAt } = claims;
  const ids = changed.map((claim) => claim.id);
  return db.select({ id, siteId, routeStatus, activatedAt }).from(claims).where(inArray(id, ids)).execute();
}

/** Visitors are affected by routes, and by the choice of a site's canonical name. */
function isRouting(stored: readonly StoredRoute[], changed: readonly Claim[]): boolean {
  return changed.some((claim) => {
    const before = stored.find(({ id }) => id === claim.id);
    return before?.routeStatus !== claim.routeStatus || before.activatedAt !== claim.activatedAt;
  });
}

async function saveAll(tx: Drizzle, changed: readonly Claim[], at: number): Promise<void> {
  // Transactions that save some of the same claims wait here, before they have locked any rows.
  const ids = changed.map(({ id }) => id);
  await tx.select({ id: claims.id }).from(claims).where(inArray(claims.id, ids)).orderBy(claims.id).for("update");
  for (const claim of changed) {
    const site = await findNotifiedSite(tx, claim.siteId);
    const before = site && (await first(selectClaims(tx).where(eq(claims.id, claim.id))));
    await replace(tx, claim);
    if (!site || !before) continue;
    await note(tx, site, at, claimEvents(before, claim));
    await announce(tx, claimChanged(site.id, before, claim));
  }
}

/** Throws Stale where the claim was saved by somebody else since it was read. */
async function replace(tx: Drizzle, claim: Claim): Promise<void> {
  const current = and(eq(claims.id, claim.id), eq(claims.revision, claim.revision));
  // A site that was deleted in between is not restored: its ended claims are detached from it by the database.
  const { siteName, siteId, ...rest } = claim;
  const replaced = tx.update(claims).set({ ...rest, revision: claim.revision + 1 });
  if (!(await first(replaced.where(current).returning({ id: claims.id })))) throw new Stale();
}

/** Only a second verified claim is reported as the race, even if the route is taken, too. */
async function isAnyVerifiedElsewhere(read: Connection["read"], changed: readonly Claim[]): Promise<boolean> {
  const others = changed.map(({ id, hostname }) => and(eq(claims.hostname, hostname), ne(claims.id, id)));
  const verified = and(eq(claims.status, "verified"), or(...others));
  return (await read((db) => first(db.select({ id: claims.id }).from(claims).where(verified).limit(1)))) !== null;
}

async function takeCheck(tx: Drizzle, id: number, request: Parameters<ClaimStore["takeCheck"]>[1]): Promise<CheckTurn> {
  const columns = { checkHolder, checkUntil, checkedAt, checkSilent };
  const row = await first(tx.select(columns).from(claims).where(eq(claims.id, id)).for("update"));
  const turn = decideTurn(row, request);
  if (turn.outcome !== "begun") return turn;
  const taken = { checkHolder: request.holder, checkUntil: request.until };
  await tx.update(claims).set(taken).where(eq(claims.id, id));
  return turn;
}
