import { and, asc, desc, eq, gt, inArray, isNull, like, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { CLOCK_TOLERANCE, decideCheckLease, leaseHolder } from "../../domain/claims/check-lease.ts";
import { checkClaimAllowed } from "../../domain/claims/claim-allowed.ts";
import { claimChanged } from "../../domain/events/changes.ts";
import { type Claim, changesRouting, type NewClaim, OPEN_STATUSES, startClaim } from "../../domain/model/claim.ts";
import { claimEvents } from "../../domain/model/events.ts";
import type { Rate } from "../../domain/model/rate.ts";
import type { CheckLease, ClaimCreation, ClaimStore, CreationLimits } from "../../domain/ports/store/claims.ts";
import { columnsExcept, columnsOf } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { addingTo, UniqueViolation } from "./failures.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { findNotifiedSite, note } from "./outbox.ts";
import { personAt, worksOn } from "./roles.ts";
import { first, hasRow } from "./rows.ts";
import { claims, sites } from "./schema.ts";

const LEASE = ["checkHolder", "checkUntil", "checkedAt", "checkSilent"] as const;
const leaseColumns = columnsOf(claims, ...LEASE);
const claimColumns = { ...columnsExcept(claims, ...LEASE), siteName: sites.name };

const isOpen = inArray(claims.status, OPEN_STATUSES);
const isRouted = eq(claims.routeStatus, "routed");

/** Without the routes of visits, which `visits/` reads. */
export function claimStore(connection: Connection): Omit<ClaimStore, "findRouted" | "canonicalHostname"> {
  const { read, write, writeRelaxed } = connection;
  return {
    create: (claim, limits) =>
      addingTo(
        "site",
        write((tx) => create(tx, claim, limits)),
      ),

    find: (id) => read((db) => first(selectClaims(db).where(eq(claims.id, id)))),
    listOfSite: (siteId) => read((db) => selectClaims(db).where(eq(claims.siteId, siteId)).orderBy(desc(claims.id))),

    async listOpenOfMember(userId, now) {
      const open = and(worksOn(claims.siteId, personAt(userId, now)), isOpen);
      return read((db) => selectClaims(db).where(open).orderBy(asc(claims.id)));
    },

    async findHolder(hostname) {
      const verified = and(eq(claims.hostname, hostname), eq(claims.status, "verified"));
      return read((db) => first(selectClaims(db).where(verified)));
    },

    isClaimed(siteId, hostname) {
      const open = and(eq(claims.siteId, siteId), eq(claims.hostname, hostname), isOpen);
      return read((db) => hasRow(db, claims, open));
    },

    save: (changed, at) => save(connection, changed, at),
    takeCheck: (id, turn) => writeRelaxed((tx) => takeCheck(tx, id, turn)),
    releaseCheck: (id, turn) => writeRelaxed((tx) => releaseCheck(tx, id, turn)),
    endChecks: (node) => writeRelaxed((tx) => endChecks(tx, node)),
    listDue: (now, horizon, limit) => read((db) => listDue(db, now, horizon, limit)),

    async postpone(id, at) {
      await writeRelaxed((tx) => tx.update(claims).set({ nextCheckAt: at }).where(eq(claims.id, id)));
    },

    bringForward: (id, now) => writeRelaxed((tx) => bringForward(tx, id, now)),

    listExpired: (now, limit) =>
      read((db) => listIds(db, and(eq(claims.status, "pending"), lte(claims.expiresAt, now)), limit)),
    listRemovals: (now, horizon, limit) =>
      read((db) => listIds(db, and(eq(claims.routeStatus, "removing"), isDue(now, horizon)), limit)),

    findChallengeResponse: (probeToken) => read((db) => findChallengeResponse(db, probeToken)),

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

/**
 * Makes claims of the same owner or of the same site run one after the other, so that each sees the effect of the
 * previous one.
 */
async function create(tx: Drizzle, claim: NewClaim, { rates, mostPending }: CreationLimits): Promise<ClaimCreation> {
  await takeLock(tx, `claims of ${claim.ownerId}`);
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

/** Returns when the owner may create another claim: once the oldest of the last `count` has left the rate's window. */
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

/** Returns when the site's pending claims expire, in ascending order. */
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
  const before = ({ id }: Claim) => stored.find((route) => route.id === id);
  try {
    if (!changed.some((claim) => changesRouting(before(claim), claim))) await write((tx) => saveAll(tx, changed, at));
    else
      await writeRouting((tx, affects) => {
        affects(...[...stored, ...changed].flatMap(({ siteId }) => siteId ?? []));
        return saveAll(tx, changed, at);
      });
    return "saved";
  } catch (error) {
    if (error instanceof Stale) return "conflict";
    if (!(error instanceof UniqueViolation)) throw error;
    // Both indexes are over the hostname, and SQLite does not report which. A second verified claim is the race to handle.
    return (await isAnyVerifiedElsewhere(read, changed)) ? "conflict" : "route_taken";
  }
}

type StoredRoute = Pick<Claim, "id" | "siteId" | "routeStatus" | "activatedAt">;

function storedRoutes(db: Drizzle, changed: readonly Claim[]): Promise<readonly StoredRoute[]> {
  const { id, siteId, routeStatus, activatedAt } = claims;
  const ids = changed.map((claim) => claim.id);
  return db.select({ id, siteId, routeStatus, activatedAt }).from(claims).where(inArray(id, ids)).execute();
}

async function saveAll(tx: Drizzle, changed: readonly Claim[], at: number): Promise<void> {
  // Transactions that save some of the same claims wait here, before they have locked any rows.
  const ids = changed.map(({ id }) => id);
  await tx.select({ id: claims.id }).from(claims).where(inArray(claims.id, ids)).orderBy(claims.id).for("update");
  for (const claim of changed) await saveOne(tx, claim, at);
}

async function saveOne(tx: Drizzle, claim: Claim, at: number): Promise<void> {
  const site = await findNotifiedSite(tx, claim.siteId);
  const before = site && (await first(selectClaims(tx).where(eq(claims.id, claim.id))));
  await replace(tx, claim);
  if (!site || !before) return;
  await note(tx, site, at, claimEvents(before, claim));
  await announce(tx, claimChanged(site.id, before, claim));
}

/** Throws Stale if somebody else has saved the claim since it was read. */
async function replace(tx: Drizzle, claim: Claim): Promise<void> {
  const current = and(eq(claims.id, claim.id), eq(claims.revision, claim.revision));
  // A site that was deleted meanwhile stays deleted, and its ended claims lose it.
  const { siteName, siteId, ...rest } = claim;
  const replaced = tx.update(claims).set({ ...rest, revision: claim.revision + 1 });
  if (!(await first(replaced.where(current).returning({ id: claims.id })))) throw new Stale();
}

/** Only a second verified claim is reported as the race, even if the route is taken, too. */
async function isAnyVerifiedElsewhere(read: Connection["read"], changed: readonly Claim[]): Promise<boolean> {
  const others = changed.map(({ id, hostname }) => and(eq(claims.hostname, hostname), ne(claims.id, id)));
  const verified = and(eq(claims.status, "verified"), or(...others));
  return read((db) => hasRow(db, claims, verified));
}

async function takeCheck(
  tx: Drizzle,
  id: number,
  request: Parameters<ClaimStore["takeCheck"]>[1],
): Promise<CheckLease> {
  const row = await first(tx.select(leaseColumns).from(claims).where(eq(claims.id, id)).for("update"));
  const turn = decideCheckLease(row, request);
  if (turn.outcome !== "begun") return turn;
  const taken = { checkHolder: request.holder, checkUntil: request.until };
  await tx.update(claims).set(taken).where(eq(claims.id, id));
  return turn;
}

async function releaseCheck(
  tx: Drizzle,
  id: number,
  { holder, now, silent }: Parameters<ClaimStore["releaseCheck"]>[1],
): Promise<void> {
  const back = { checkHolder: null, checkUntil: null, checkedAt: now, checkSilent: silent };
  const own = and(eq(claims.id, id), eq(claims.checkHolder, holder));
  await tx.update(claims).set(back).where(own);
}

async function endChecks(tx: Drizzle, node: string): Promise<void> {
  const own = like(claims.checkHolder, leaseHolder(node, "%"));
  await tx.update(claims).set({ checkHolder: null, checkUntil: null }).where(own);
}

async function bringForward(tx: Drizzle, id: number, now: number): Promise<void> {
  const due = { nextCheckAt: now, attempts: sql`${claims.attempts} - 1` };
  await tx
    .update(claims)
    .set(due)
    .where(and(eq(claims.id, id), gt(claims.nextCheckAt, now)));
}

async function listDue(db: Drizzle, now: number, horizon: number, limit: number): Promise<number[]> {
  const overtaken = gt(sql`coalesce(${claims.checkedAt}, ${claims.createdAt})`, now + CLOCK_TOLERANCE);
  return listIds(db, and(isOpen, isNull(claims.withdrawnAt), or(isDue(now, horizon), overtaken)), limit);
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

async function findChallengeResponse(db: Drizzle, probeToken: string): Promise<string | null> {
  const awaited = and(eq(claims.probeToken, probeToken), isOpen, isNull(claims.withdrawnAt));
  return (await first(db.select({ response: claims.probeResponse }).from(claims).where(awaited)))?.response ?? null;
}
