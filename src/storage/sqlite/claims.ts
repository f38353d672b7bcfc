import { and, asc, desc, eq, gt, inArray, isNull, like, lte, ne, or, sql } from "drizzle-orm";
import { CLOCK_TOLERANCE, decideCheckLease, leaseHolder } from "../../domain/claims/check-lease.ts";
import { checkClaimAllowed } from "../../domain/claims/claim-allowed.ts";
import { errorCode } from "../../domain/error-message.ts";
import { claimChanged } from "../../domain/events/changes.ts";
import { type Claim, changesRouting, type NewClaim, OPEN_STATUSES, startClaim } from "../../domain/model/claim.ts";
import { claimEvents } from "../../domain/model/events.ts";
import type { Rate } from "../../domain/model/rate.ts";
import type { CheckLease, ClaimCreation, ClaimStore, CreationLimits } from "../../domain/ports/store/claims.ts";
import { columnsExcept, columnsOf } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { newOutbox, type Outbox } from "./outbox.ts";
import { claims, sites } from "./schema.ts";
import { routeColumns, withOwnerAndDeployment } from "./sites.ts";

const TURN = ["checkHolder", "checkUntil", "checkedAt", "checkSilent"] as const;
const leaseColumns = columnsOf(claims, ...TURN);
const claimColumns = { ...columnsExcept(claims, ...TURN), siteName: sites.name };

const isOpen = inArray(claims.status, OPEN_STATUSES);
const isRouted = eq(claims.routeStatus, "routed");

export function claimStore(connection: Connection): ClaimStore {
  const { db, writeRelaxed } = connection;
  const outbox = newOutbox(connection);
  const { byId, routed, challenge, canonical } = prepareReads(db);

  return {
    create: (claim, limits) => createClaim(connection, claim, limits),
    find: async (id) => byId.get({ id }) ?? null,
    listOfSite: async (siteId) => selectClaims(db).where(eq(claims.siteId, siteId)).orderBy(desc(claims.id)).all(),
    async listOpenOfOwner(ownerId) {
      return selectClaims(db)
        .where(and(eq(claims.ownerId, ownerId), isOpen))
        .orderBy(claims.id)
        .all();
    },
    findHolder: async (hostname) =>
      selectClaims(db)
        .where(and(eq(claims.hostname, hostname), eq(claims.status, "verified")))
        .get() ?? null,
    async isClaimed(siteId, hostname) {
      const open = and(eq(claims.siteId, siteId), eq(claims.hostname, hostname), isOpen);
      return db.select({ id: claims.id }).from(claims).where(open).limit(1).get() !== undefined;
    },
    save: async (changed, at) => save(connection, outbox, changed, at),
    takeCheck: async (id, turn) => writeRelaxed((tx) => takeCheck(tx, id, turn)),
    releaseCheck: (id, turn) => releaseCheck(connection, id, turn),

    async endChecks(node) {
      const ended = { checkHolder: null, checkUntil: null };
      const own = like(claims.checkHolder, leaseHolder(node, "%"));
      await writeRelaxed((tx) => tx.update(claims).set(ended).where(own).run());
    },

    async listDue(now, horizon, limit) {
      const overtaken = gt(sql`coalesce(${claims.checkedAt}, ${claims.createdAt})`, now + CLOCK_TOLERANCE);
      return listIds(db, and(isOpen, isNull(claims.withdrawnAt), or(isDue(now, horizon), overtaken)), limit);
    },
    async postpone(id, at) {
      await writeRelaxed((tx) => tx.update(claims).set({ nextCheckAt: at }).where(eq(claims.id, id)).run());
    },
    bringForward: (id, now) => bringForward(connection, id, now),
    async listExpired(now, limit) {
      return listIds(db, and(eq(claims.status, "pending"), lte(claims.expiresAt, now)), limit);
    },
    async listRemovals(now, horizon, limit) {
      return listIds(db, and(eq(claims.routeStatus, "removing"), isDue(now, horizon)), limit);
    },

    findChallengeAnswer: async (probeToken) => challenge.get({ probeToken })?.answer ?? null,
    findRouted: async (hostname) => routed.get({ hostname }) ?? null,
    canonicalHostname: async (siteId) => canonical.get({ siteId })?.hostname ?? null,
    async listRouted() {
      const rows = db.select({ hostname: claims.hostname }).from(claims).where(isRouted).all();
      return rows.map(({ hostname }) => hostname);
    },
  };
}

// --- internal ---

function selectClaims(db: Drizzle) {
  return db.select(claimColumns).from(claims).leftJoin(sites, eq(sites.id, claims.siteId));
}

function createClaim({ write, announce }: Connection, claim: NewClaim, limits: CreationLimits): Promise<ClaimCreation> {
  return addingTo(
    "site",
    write((tx) => {
      const creation = create(tx, claim, limits);
      if (creation.outcome === "created") announce(claimChanged(claim.siteId, null, creation.claim));
      return creation;
    }),
  );
}

async function releaseCheck(
  { writeRelaxed }: Connection,
  id: number,
  { holder, now, silent }: { holder: string; now: number; silent: boolean },
): Promise<void> {
  const back = { checkHolder: null, checkUntil: null, checkedAt: now, checkSilent: silent };
  const own = and(eq(claims.id, id), eq(claims.checkHolder, holder));
  await writeRelaxed((tx) => tx.update(claims).set(back).where(own).run());
}

async function bringForward({ writeRelaxed }: Connection, id: number, now: number): Promise<void> {
  const due = { nextCheckAt: now, attempts: sql`${claims.attempts} - 1` };
  const later = and(eq(claims.id, id), gt(claims.nextCheckAt, now));
  await writeRelaxed((tx) => tx.update(claims).set(due).where(later).run());
}

/** The queries of visitors' requests, and those of each step of a check. */
function prepareReads(db: Drizzle) {
  return {
    byId: selectClaims(db)
      .where(eq(claims.id, sql.placeholder("id")))
      .prepare(),
    routed: withOwnerAndDeployment(
      db
        .select({ ...routeColumns, alias: claims.alias })
        .from(claims)
        .innerJoin(sites, eq(sites.id, claims.siteId))
        .$dynamic(),
    )
      .where(and(eq(claims.hostname, sql.placeholder("hostname")), isRouted))
      .prepare(),
    challenge: db
      .select({ answer: claims.probeAnswer })
      .from(claims)
      .where(and(eq(claims.probeToken, sql.placeholder("probeToken")), isOpen, isNull(claims.withdrawnAt)))
      .prepare(),
    canonical: db
      .select({ hostname: claims.hostname })
      .from(claims)
      .where(
        and(eq(claims.siteId, sql.placeholder("siteId")), isRouted, isNull(claims.alias), gt(claims.activatedAt, 0)),
      )
      .orderBy(asc(claims.activatedAt), asc(claims.id))
      .limit(1)
      .prepare(),
  };
}

function isDue(now: number, horizon: number) {
  return or(lte(claims.nextCheckAt, now), gt(claims.nextCheckAt, horizon));
}

function listIds(db: Drizzle, which: ReturnType<typeof and>, limit: number): number[] {
  const rows = db.select({ id: claims.id }).from(claims).where(which).orderBy(asc(claims.nextCheckAt)).limit(limit);
  return rows.all().map(({ id }) => id);
}

function create(tx: Drizzle, claim: NewClaim, { rates, mostPending }: CreationLimits): ClaimCreation {
  const open = tx
    .select({ ownerId: claims.ownerId, status: claims.status, siteName: sites.name })
    .from(claims)
    .leftJoin(sites, eq(sites.id, claims.siteId))
    .where(and(eq(claims.hostname, claim.hostname), isOpen))
    .all();
  const refusal = checkClaimAllowed(claim, {
    open,
    roomAt: rates.map((rate) => roomAt(tx, claim, rate)),
    pendingUntil: pendingUntil(tx, claim.siteId),
    mostPending,
  });
  if (refusal) return refusal;
  const { id } = tx
    .insert(claims)
    .values({ ...startClaim(claim), revision: 1 })
    .returning({ id: claims.id })
    .get();
  return { outcome: "created", claim: selectClaims(tx).where(eq(claims.id, id)).get()! };
}

/** Returns when the owner may create another claim: once the oldest of the last `count` has left the rate's window. */
function roomAt(tx: Drizzle, { ownerId, createdAt }: NewClaim, { count, window }: Rate): number {
  const oldest = tx
    .select({ createdAt: claims.createdAt })
    .from(claims)
    .where(and(eq(claims.ownerId, ownerId), gt(claims.createdAt, createdAt - window), lte(claims.createdAt, createdAt)))
    .orderBy(desc(claims.createdAt))
    .limit(1)
    .offset(count - 1)
    .get();
  return oldest ? oldest.createdAt + window : createdAt;
}

/** Returns when the site's pending claims expire, in ascending order. */
function pendingUntil(tx: Drizzle, siteId: number): readonly number[] {
  const pending = and(eq(claims.siteId, siteId), eq(claims.status, "pending"));
  const rows = tx.select({ expiresAt: claims.expiresAt }).from(claims).where(pending).orderBy(asc(claims.expiresAt));
  return rows.all().map(({ expiresAt }) => expiresAt);
}

class Stale extends Error {}

async function save(
  connection: Connection,
  outbox: Outbox,
  changed: readonly Claim[],
  at: number,
): Promise<"saved" | "conflict" | "route_taken"> {
  const stored = storedRoutes(connection.db, changed);
  const before = ({ id }: Claim) => stored.find((route) => route.id === id);
  const saveAll = (tx: Drizzle) => {
    for (const claim of changed) saveOne(tx, connection, outbox, claim, at);
  };
  try {
    if (!changed.some((claim) => changesRouting(before(claim), claim))) await connection.write(saveAll);
    else
      await connection.writeRouting((tx, affects) => {
        affects(...[...stored, ...changed].flatMap(({ siteId }) => siteId ?? []));
        saveAll(tx);
      });
    return "saved";
  } catch (error) {
    if (error instanceof Stale) return "conflict";
    if (errorCode(error) !== "SQLITE_CONSTRAINT_UNIQUE") throw error;
    // Both indexes are over the hostname, and SQLite reports only the column. A second verified claim is the race to
    // handle.
    return changed.some((claim) => isVerifiedElsewhere(connection.db, claim)) ? "conflict" : "route_taken";
  }
}

type StoredRoute = Pick<Claim, "id" | "siteId" | "routeStatus" | "activatedAt">;

function storedRoutes(db: Drizzle, changed: readonly Claim[]): readonly StoredRoute[] {
  const { id, siteId, routeStatus, activatedAt } = claims;
  const ids = changed.map((claim) => claim.id);
  return db.select({ id, siteId, routeStatus, activatedAt }).from(claims).where(inArray(id, ids)).all();
}

function saveOne(tx: Drizzle, { announce }: Connection, outbox: Outbox, claim: Claim, at: number): void {
  const site = outbox.find(claim.siteId);
  const before = site && selectClaims(tx).where(eq(claims.id, claim.id)).get();
  replace(tx, claim);
  if (!site || !before) return;
  outbox.note(site, at, claimEvents(before, claim));
  announce(claimChanged(site.id, before, claim));
}

/** Throws Stale if somebody else has saved the claim since it was read. */
function replace(tx: Drizzle, claim: Claim): void {
  const current = and(eq(claims.id, claim.id), eq(claims.revision, claim.revision));
  // A site that was deleted meanwhile stays deleted, and its ended claims lose it.
  const { siteName, siteId, ...rest } = claim;
  const row = { ...rest, revision: claim.revision + 1 };
  if (tx.update(claims).set(row).where(current).returning({ id: claims.id }).all().length === 0) throw new Stale();
}

function isVerifiedElsewhere(db: Drizzle, { id, hostname }: Claim): boolean {
  const other = and(eq(claims.hostname, hostname), eq(claims.status, "verified"), ne(claims.id, id));
  return db.select({ id: claims.id }).from(claims).where(other).limit(1).get() !== undefined;
}

function takeCheck(tx: Drizzle, id: number, request: Parameters<ClaimStore["takeCheck"]>[1]): CheckLease {
  const row = tx.select(leaseColumns).from(claims).where(eq(claims.id, id)).get();
  const turn = decideCheckLease(row ?? null, request);
  if (turn.outcome !== "begun") return turn;
  tx.update(claims).set({ checkHolder: request.holder, checkUntil: request.until }).where(eq(claims.id, id)).run();
  return turn;
}
