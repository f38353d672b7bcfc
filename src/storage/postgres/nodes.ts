import { and, asc, count, eq, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { drainOutcome } from "../../domain/model/drain.ts";
import type { NodeDirectory, NodeStatus } from "../../domain/ports/store/nodes.ts";
import { StartFailure } from "../../domain/start-failure.ts";
import type { Drizzle } from "../store/connection.ts";
import { takeLock } from "../store/locks.ts";
import { countRows, deleteRows, first, rowsOf } from "../store/rows.ts";
import { logCounters, nodes } from "../store/schema.ts";
import { appliedUpTo, type LogPlace, shortenChangeLog } from "./change-log.ts";
import type { PostgresConnection } from "./connection.ts";
import { knownSchema } from "./migrate.ts";
import { IS_MOVED, refuseMoved } from "./moved.ts";

/** A node that serves visits from a replica. */
export interface Node extends Pick<NodeStatus, "name" | "address" | "version"> {
  /** Identifies this membership; every start has another ID, and `nextMembership` returns further ones of a start. */
  readonly id: string;
}

/**
 * Returns another ID for the same start of a node, for when it joins again after it has left: the deletion of its former
 * row may arrive late.
 */
export function nextMembership(id: string): string {
  return `${startOf(id)}/${crypto.randomUUID()}`;
}

/** Returns the name of the sessions of a node's start, by which other nodes find them. */
export function sessionsOf(id: string): string {
  return `${SESSIONS}${startOf(id)}`;
}

/** Another process has the lease of that name. If it was killed, the lease expires without having been renewed. */
export class NodeNameLeased extends Error {
  constructor(
    readonly holder: Pick<Node, "name" | "address">,
    /** Whole milliseconds until the lease expires, if it is not renewed. */
    readonly endsIn: number,
  ) {
    const { name, address } = holder;
    super(
      `the lease of a process at ${address} that is called ${name} has not expired: this node joins when it expires, within ${LEASE_MS / 1000} s. If that process is alive, it renews its lease: give each node a name of its own with --node-name`,
    );
  }
}

/** Another node of that name is alive: it has renewed its lease. */
export class NodeNameTaken extends StartFailure {
  constructor({ name, address }: Pick<Node, "name" | "address">) {
    super(`another node at ${address} is called ${name}: give each node a name of its own with --node-name`);
  }
}

/** What a node learns when it renews its lease. */
export interface Renewal {
  /** `draining` if an operator has asked the node to drain. */
  readonly state: "live" | "draining";
  /** The position up to which it has announced the log; less than it has announced if the database has crashed since. */
  readonly applied: number;
  /** The time of the database's clock in milliseconds since the epoch. */
  readonly now: number;
}

/** Milliseconds for which a node may serve visits after it began its last renewal. */
export const LEASE_MS = 3000;

/** Waiting for a silent node lasts this much longer than its lease. */
const EVICTION_GRACE_MS = 1000;

/** Milliseconds for which a silent node counts after it began its last renewal. */
export const SILENCE_MS = LEASE_MS + EVICTION_GRACE_MS;

/**
 * Nodes renew each second. One that has not for so long may have been without the database, even if its lease has not
 * ended: that of another node, which renewed a little earlier, may have ended before the database was back.
 */
export const GAP_MS = 2000;

/** Nodes notify it after they have applied changes. */
export const APPLIED_CHANNEL = "vitrine_applied";

/** The nodes and their leases. All times are by PostgreSQL's clock. */
export interface NodeStore extends Omit<NodeDirectory, "rates"> {
  /**
   * Adds a node with a lease. It has applied the log up to a place, or nothing if the place is null or not part of the
   * database's history. Throws UnusableDatabase if the database was moved to a data folder, and NodeNameLeased.
   */
  join(node: Node, applied: LogPlace | null): Promise<Renewal>;

  /**
   * Renews the lease. Returns null if it has ended, if the node is unknown, or if the database was moved, so that the node
   * joins again.
   */
  renew(id: string): Promise<Renewal | null>;

  /**
   * Records the place up to which a node has applied the log, as `join` does, and notifies waiting callers; returns
   * false if the node is unknown.
   */
  saveApplied(id: string, applied: LogPlace): Promise<boolean>;

  /**
   * Returns the position of the slowest node that may be serving; null if there is no node, and `silent` if all have been
   * silent for too long. A node counts until a second after the end of its lease. Silence is measured from the start of
   * the database, so that an outage of the database ends no lease.
   */
  slowest(): Promise<number | "silent" | null>;

  /**
   * Shortens leases that end later than one renewed now, because the database's clock was set back. Call it regularly:
   * until then, changes wait for nodes that are gone.
   */
  boundLeases(): Promise<void>;

  /**
   * Ends sessions of evicted nodes that have an open transaction or wait for a lock. Otherwise the server ends them one
   * after the other, and changes on other nodes wait that long for their locks. Sessions that were opened after the
   * eviction belong to a node that runs again. Call it regularly, after a renewal.
   */
  endSilentSessions(): Promise<void>;

  /** Records that a node drains because its process was told to stop, not because an operator requested it here. */
  saveDraining(id: string): Promise<void>;

  /**
   * Ends the lease at once, because the node is not able to serve: changes do not wait for it. It is listed as isolated
   * until it joins again, with another ID.
   */
  resign(id: string): Promise<void>;

  /** Removes the node, and former starts of it that were killed. */
  leave(id: string): Promise<void>;
}

export function nodeStore(connection: PostgresConnection, databaseStart = sql`pg_postmaster_start_time()`): NodeStore {
  const { read, write } = connection;
  // A start in the future was before the clock was set back. Then the nodes' contact is new, too.
  const start = sql`CASE WHEN ${databaseStart} <= clock_timestamp() THEN ${databaseStart} END`;
  const mayHaveLease = sql`greatest(${nodes.leaseEndsAt}, ${start} + ${milliseconds(LEASE_MS)})
    + ${milliseconds(EVICTION_GRACE_MS)} > clock_timestamp()`;
  const isSeen = sql<boolean>`(${HAS_NOT_RESIGNED} AND ${mayHaveLease})`;
  const mayServe = sql<boolean>`(${HAS_NOT_RESIGNED} AND (${mayHaveLease} OR (${IS_CONTACT_NEW} AND NOT ${WAS_REPLACED})))`;
  return {
    async join(node, place) {
      // Not in the same transaction, which is undone if another process has the name.
      await read(boundLeases);
      return write((tx) => join(tx, node, place));
    },
    renew: (id) => read((db) => renew(db, id)),
    saveApplied: (id, applied) => read((db) => saveApplied(db, id, applied)),
    slowest: () => read((db) => slowest(db, mayServe)),
    list: () => read((db) => list(db, isSeen)),
    measure: () => read(measure),
    requestDrain: (name) => write((tx) => requestDrain(tx, name, isSeen)),

    boundLeases: () => read(boundLeases),
    endSilentSessions: () => read((db) => endSilentSessions(db, mayServe)),

    async saveDraining(id) {
      await write((tx) => tx.update(nodes).set(DRAINING).where(eq(nodes.id, id)));
    },

    async resign(id) {
      await write((tx) => tx.update(nodes).set({ leaseEndsAt: RESIGNED }).where(eq(nodes.id, id)));
    },

    async leave(id) {
      const name = sql`(SELECT own.name FROM ${nodes} AS own WHERE own.id = ${id})`;
      const isFormer = sql`(${nodes.name} = ${name} AND NOT ${mayServe})`;
      await write((tx) => tx.delete(nodes).where(or(isOfStart(id), isFormer)));
    },

    async deleteOld() {
      const silent = sql`greatest(${nodes.leaseEndsAt}, ${nodes.renewedAt}) < clock_timestamp() - interval '1 day'`;
      const forgotten = await write((tx) => deleteRows(tx, nodes, silent));
      return { nodes: forgotten, changes: await shortenChangeLog(connection) };
    },
  };
}

// --- internal ---

/** The prefix of the names of nodes' sessions. */
const SESSIONS = "vitrine ";

const DRAINING = { state: "draining" } as const;

async function join(tx: Drizzle, node: Node, place: LogPlace | null): Promise<Renewal> {
  // Of two nodes that start with one name, the second is refused.
  await takeLock(tx, "nodes");
  await refuseTakenName(tx, node);
  const applied = place === null ? 0 : appliedUpTo(place);
  const row = { ...node, renewedAt: NOW, leaseEndsAt: LEASE_END, applied, schema: knownSchema() };
  const again = { target: nodes.id, set: { ...row, contactSince: CONTACT } };
  const inserted = tx.insert(nodes).values({ ...row, state: "live" });
  const renewal = await first(inserted.onConflictDoUpdate(again).returning(RENEWAL));
  // A move that ran meanwhile has ended, because the insertion waits for it.
  await refuseMoved(tx);
  return renewal!;
}

async function refuseTakenName(tx: Drizzle, { id, name }: Node): Promise<void> {
  const rest = sql`greatest(${nodes.leaseEndsAt}, clock_timestamp()) - clock_timestamp()`;
  // The end of a lease is further away if the clock of the database was set back. Timers drop fractions.
  const endsIn = sql<string>`ceil(extract(epoch FROM least(${rest}, ${milliseconds(LEASE_MS)})) * 1000)`.mapWith(
    Number,
  );
  // The update locks the rows: a concurrent renewal either came before, or finds that its lease has ended.
  const others = await tx
    .update(nodes)
    .set({ leaseEndsAt: nodes.leaseEndsAt })
    .where(and(eq(nodes.name, name), not(isOfStart(id))))
    .returning({ address: nodes.address, endsIn });
  const taken = others.find((other) => other.endsIn > 0);
  if (taken) throw new NodeNameLeased({ name, address: taken.address }, taken.endsIn);
}

function isOfStart(id: string): SQL {
  return sql`split_part(${nodes.id}, '/', 1) = ${startOf(id)}`;
}

function startOf(id: string): string {
  return id.split("/", 1)[0] as string;
}

/** Runs one statement without a transaction, which may run twice: this needs a fifth of the round trips. */
async function renew(db: Drizzle, id: string): Promise<Renewal | null> {
  const renewed = sql`UPDATE nodes SET renewed_at = ${NOW}, lease_ends_at = ${LEASE_END},
    contact_since = ${CONTACT} WHERE id = ${id} AND ${HAS_LEASE} AND NOT ${IS_MOVED} RETURNING state, applied`;
  const statement = sql`WITH renewed AS (${renewed}) SELECT ${RELAXED}, state, applied, ${CLOCK} AS now FROM renewed`;
  const row = await first(rowsOf<Record<keyof Renewal, string> & Pick<Renewal, "state">>(db, statement));
  return row && { state: row.state, applied: Number(row.applied), now: Number(row.now) };
}

/** Runs one statement without a transaction, as `renew` does. */
async function saveApplied(db: Drizzle, id: string, applied: LogPlace): Promise<boolean> {
  const moved = sql`UPDATE nodes SET applied = ${appliedUpTo(applied)} WHERE id = ${id} RETURNING id`;
  const notification = sql`SELECT ${RELAXED}, pg_notify(${APPLIED_CHANNEL}, '') FROM moved`;
  return (await countRows(rowsOf(db, sql`WITH moved AS (${moved}) ${notification}`))) > 0;
}

async function slowest(db: Drizzle, mayServe: SQL<boolean>): ReturnType<NodeStore["slowest"]> {
  const applied = sql<string | null>`min(${nodes.applied}) FILTER (WHERE ${mayServe})`;
  const row = await first(db.select({ applied, known: count() }).from(nodes).where(HAS_NOT_RESIGNED));
  if (row === null || row.known === 0) return null;
  return row.applied === null ? "silent" : Number(row.applied);
}

/**
 * A lease that ends later than one renewed now was renewed before the clock was set back. Its node may still count on it,
 * for at most a whole lease. So it ends a lease from now, and not at once: changes wait for the node until then.
 */
async function boundLeases(db: Drizzle): Promise<void> {
  await db.execute(sql`
    UPDATE nodes SET lease_ends_at = least(lease_ends_at, ${LEASE_END}), renewed_at = least(renewed_at, ${NOW}),
      contact_since = least(contact_since, ${NOW})
    WHERE lease_ends_at > ${LEASE_END} OR renewed_at > ${NOW} OR contact_since > ${NOW}`);
}

async function endSilentSessions(db: Drizzle, mayServe: SQL<boolean>): Promise<void> {
  const evictedAt = sql`${nodes.leaseEndsAt} + ${milliseconds(EVICTION_GRACE_MS)}`;
  const start = sql`split_part(${nodes.id}, '/', 1)`;
  // Every node runs this each second, so sessions are searched only if a node was evicted within the last minute. A
  // session that is committing is left alone: it may be waiting for a standby. The rows of another database of the
  // server may be a copy of these.
  const silent = (column: SQL) => sql`
    SELECT FROM ${nodes} CROSS JOIN LATERAL (
      SELECT ${column} FROM pg_stat_activity
      WHERE application_name = ${SESSIONS}::text || ${start} AND usename = current_user
        AND datname = current_database() AND backend_start < ${evictedAt}
        AND state <> 'idle' AND wait_event_type IN ('Client', 'Lock') OFFSET 0) AS session
    WHERE ${evictedAt} > clock_timestamp() - interval '1 minute' AND NOT ${mayServe} AND NOT EXISTS (
      SELECT FROM ${nodes} AS own WHERE split_part(own.id, '/', 1) = ${start} AND own.lease_ends_at > clock_timestamp())`;
  // Where the function was revoked, the mere mention of it is an error, each second.
  if ((await countRows(rowsOf(db, silent(sql`pid`)))) === 0) return;
  await db.execute(silent(sql`pg_terminate_backend(pid)`));
}

async function measure(db: Drizzle): ReturnType<NodeDirectory["measure"]> {
  const databaseBytes = sql<string>`pg_database_size(current_database())`.mapWith(Number);
  const columns = { newestChange: logCounters.changes, databaseBytes };
  return (await first(db.select(columns).from(logCounters)))!;
}

async function requestDrain(
  tx: Drizzle,
  name: string,
  isSeen: SQL<boolean>,
): ReturnType<NodeDirectory["requestDrain"]> {
  // Of two requests for the last two nodes, the second is refused.
  await takeLock(tx, "nodes");
  const outcome = drainOutcome(await list(tx, isSeen), name);
  if (outcome === "requested") await tx.update(nodes).set(DRAINING).where(eq(nodes.name, name));
  return outcome;
}

/** Lists each node once: former starts of a node that was started again are left out. */
async function list(db: Drizzle, isSeen: SQL<boolean>): Promise<readonly NodeStatus[]> {
  const lastSeenAt = sql<string>`floor(extract(epoch FROM ${nodes.renewedAt}) * 1000)`.mapWith(Number);
  const { name, address, version, state, applied } = nodes;
  const later = alias(nodes, "later");
  const isFormer = sql`EXISTS (SELECT 1 FROM ${nodes} AS later WHERE ${later.name} = ${name}
    AND ${later.renewedAt} > ${nodes.renewedAt})`;
  const rows = await db
    .select({ name, address, version, state, applied, lastSeenAt, isSeen })
    .from(nodes)
    .where(or(isSeen, sql`NOT ${isFormer}`))
    .orderBy(asc(name), asc(nodes.id));
  return rows.map(({ isSeen, ...node }) => ({ ...node, state: isSeen ? node.state : "isolated" }));
}

const milliseconds = (count: number) => sql`make_interval(secs => ${count / 1000}::float8)`;
/** A lease that is lost in a power cut is renewed, so the commit need not wait for the disk. */
const RELAXED = sql`set_config('synchronous_commit', 'off', true)`;
const NOW = sql`clock_timestamp()`;
/** The end of a lease that was given up. */
const RESIGNED = sql`'-infinity'::timestamptz`;
const HAS_NOT_RESIGNED = sql`${nodes.leaseEndsAt} > ${RESIGNED}`;
/** After its end, another node may have taken the name. */
const HAS_LEASE = sql<boolean>`nodes.lease_ends_at > clock_timestamp()`;
/** Whether the name was taken again, which is possible after the end of the lease. Then the node cannot join again. */
const WAS_REPLACED = sql<boolean>`EXISTS (
  SELECT FROM ${nodes} AS later WHERE later.name = nodes.name AND later.renewed_at > nodes.renewed_at)`;
const CLOCK = sql<number>`floor(extract(epoch FROM clock_timestamp()) * 1000)`.mapWith(Number);
const RENEWAL = { state: nodes.state, applied: nodes.applied, now: CLOCK };
const LEASE_END = sql`clock_timestamp() + ${milliseconds(LEASE_MS)}`;
/** The start of a node's contact after a renewal. */
const CONTACT = sql`CASE WHEN nodes.renewed_at + ${milliseconds(GAP_MS)} < clock_timestamp() THEN clock_timestamp()
  ELSE nodes.contact_since END`;
/**
 * Whether all live nodes have been in contact for less time than a silent node counts. Then the database was away, also
 * for silent nodes, which may reach it a little later: recovery after a crash takes longer than a lease.
 */
const IS_CONTACT_NEW = sql<boolean>`coalesce((
  SELECT min(live.contact_since) + ${milliseconds(SILENCE_MS)} > clock_timestamp()
  FROM ${nodes} AS live WHERE live.lease_ends_at + ${milliseconds(EVICTION_GRACE_MS)} > clock_timestamp()), false)`;
