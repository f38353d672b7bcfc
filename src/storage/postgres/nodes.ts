import { asc, eq, type SQL, sql } from "drizzle-orm";
import type { Connection } from "./connection.ts";
import { countRows, first, rowsOf } from "./rows.ts";
import { nodes } from "./schema.ts";

/** Who serves visits from a replica. */
export interface Node {
  /** Of this start of the node: another one has another. */
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly version: string;
}

export interface NodeStatus extends Omit<Node, "id"> {
  readonly state: "live" | "isolated" | "draining";
  readonly applied: number;
  /** Milliseconds since the epoch. */
  readonly lastSeenAt: number;
}

/** Milliseconds that a node may go on serving after it began its last renewal. */
export const LEASE_MS = 3000;

/** Whoever waits for a node that is silent does so for this much longer than its lease. */
export const EVICTION_GRACE_MS = 1000;

/** Nodes notify it after they have applied changes. */
export const APPLIED_CHANNEL = "vitrine_applied";

/** The nodes and their leases, all by PostgreSQL's clock. */
export interface NodeStore {
  /** Adds a node that has applied the log up to a place, with a lease. */
  join(node: Node, applied: number): Promise<void>;

  /** Begins the lease anew; false where nobody knows the node any more: it joins again. */
  renew(id: string): Promise<boolean>;

  /** Says how far a node is, and wakes those who wait for it; false where nobody knows it any more. */
  saveApplied(id: string, applied: number): Promise<boolean>;

  /**
   * Returns how far the slowest node is that may be serving; null where there is none. A node counts until a second after
   * its lease. Silence counts from the start of the database, so that an outage of the database ends no lease.
   */
  slowest(): Promise<number | null>;

  list(): Promise<readonly NodeStatus[]>;

  /** Makes a node serve until its visitors have gone elsewhere; false where there is no such node. */
  drain(name: string): Promise<boolean>;

  leave(id: string): Promise<void>;

  /** Forgets nodes whose lease ended a day ago; returns how many. */
  forgetSilent(): Promise<number>;
}

export function nodeStore({ read, write }: Connection, databaseStart = sql`pg_postmaster_start_time()`): NodeStore {
  const mayServe = sql<boolean>`
    greatest(${nodes.leaseEndsAt}, ${databaseStart} + ${milliseconds(LEASE_MS)})
      + ${milliseconds(EVICTION_GRACE_MS)} > clock_timestamp()`;
  /** One statement without a transaction around it, which may run twice: a fifth of the round trips. */
  const writeOnce = (statement: SQL) => read((db) => countRows(rowsOf(db, statement)));
  return {
    async join(node, applied) {
      const row = { ...node, applied, state: "live", renewedAt: NOW, leaseEndsAt: LEASE_END } as const;
      await write((tx) => tx.insert(nodes).values(row).onConflictDoUpdate({ target: nodes.id, set: row }));
    },

    async renew(id) {
      const renewed = sql`UPDATE nodes SET renewed_at = ${NOW}, lease_ends_at = ${LEASE_END} WHERE id = ${id} RETURNING id`;
      return (await writeOnce(sql`WITH renewed AS (${renewed}) SELECT ${RELAXED} FROM renewed`)) > 0;
    },

    async saveApplied(id, applied) {
      const moved = sql`UPDATE nodes SET applied = ${applied} WHERE id = ${id} RETURNING id`;
      const tell = sql`SELECT ${RELAXED}, pg_notify(${APPLIED_CHANNEL}, '') FROM moved`;
      return (await writeOnce(sql`WITH moved AS (${moved}) ${tell}`)) > 0;
    },

    async slowest() {
      const applied = sql<string | null>`min(${nodes.applied})`;
      const row = await read((db) => first(db.select({ applied }).from(nodes).where(mayServe)));
      return row?.applied == null ? null : Number(row.applied);
    },

    async list() {
      const lastSeenAt = sql<string>`floor(extract(epoch FROM ${nodes.renewedAt}) * 1000)`.mapWith(Number);
      const { name, address, version, state, applied } = nodes;
      const columns = { name, address, version, state, applied, lastSeenAt, mayServe };
      const rows = await read((db) => db.select(columns).from(nodes).orderBy(asc(name), asc(nodes.id)));
      return rows.map(({ mayServe: isSeen, ...node }) => ({ ...node, state: isSeen ? node.state : "isolated" }));
    },

    async drain(name) {
      const draining = { state: "draining" } as const;
      return write(
        async (tx) =>
          (await countRows(tx.update(nodes).set(draining).where(eq(nodes.name, name)).returning({ id: nodes.id }))) > 0,
      );
    },

    async leave(id) {
      await write((tx) => tx.delete(nodes).where(eq(nodes.id, id)));
    },

    async forgetSilent() {
      const silent = sql`${nodes.leaseEndsAt} < clock_timestamp() - interval '1 day'`;
      return write((tx) => countRows(tx.delete(nodes).where(silent).returning({ id: nodes.id })));
    },
  };
}

// --- internal ---

const milliseconds = (count: number) => sql`make_interval(secs => ${count / 1000}::float8)`;
/** A lease that a power cut undoes is renewed: nobody waits for the disk. */
const RELAXED = sql`set_config('synchronous_commit', 'off', true)`;
const NOW = sql`clock_timestamp()`;
const LEASE_END = sql`clock_timestamp() + ${milliseconds(LEASE_MS)}`;
