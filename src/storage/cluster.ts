import { existsSync } from "node:fs";
import type { DatabaseUrl } from "../domain/database-url.ts";
import { isUnavailable } from "../domain/errors.ts";
import { StartFailure } from "../domain/start-failure.ts";
import { type DataFolder, hasDatabase } from "./folder/data-folder.ts";
import { type ClusterMeterSlots, clusterMeters, newClusterMeterSlots } from "./meters/cluster-meters.ts";
import { connect } from "./postgres/connection.ts";
import { migrate } from "./postgres/migrate.ts";
import { type Node, nodeStore, sessionsOf } from "./postgres/nodes.ts";
import { startFailure } from "./postgres/start-failure.ts";
import { type LeaseCell, leaseIn, type NodeLease, newLeaseCell } from "./replica/lease.ts";
import { joinCluster, type Membership, type MembershipOptions } from "./replica/node.ts";
import { isFilled, prepareReplica, removeReplica } from "./replica/prepare.ts";
import { openReplica } from "./replica/replica.ts";
import { type GenerationCell, raiseGeneration } from "./sqlite/generation.ts";

/** What the threads of a node share. It can be posted to a thread. */
export interface SharedCluster {
  readonly lease: LeaseCell;
  /** `performance.timeOrigin` of the main thread. */
  readonly origin: number;
  readonly meters: ClusterMeterSlots;
  /** The name of the node's sessions at the database. */
  readonly sessions: string;
}

/** Creates what the threads of a node share, with an ended lease. Call it in the main thread. */
export function newSharedCluster(nodeId: string): SharedCluster {
  const sessions = sessionsOf(nodeId);
  return { lease: newLeaseCell(), origin: performance.timeOrigin, meters: newClusterMeterSlots(), sessions };
}

/**
 * Returns the lease for a thread that derives the main thread's clock from the wall clock. If the wall clock was set
 * meanwhile, the times are wrong, so this lease does not permit visits.
 */
export function approximateLease({ lease, origin }: SharedCluster): NodeLease {
  return leaseIn(lease, () => performance.timeOrigin - origin + performance.now());
}

/**
 * Migrates the database and prepares the replica. Call it with the folder's lock, before anybody opens them. If the
 * database is unreachable, and the replica was filled before, `joinAsNode` migrates the database later. Throws
 * StartFailure.
 */
export async function prepareCluster(folder: DataFolder, url: DatabaseUrl): Promise<void> {
  if (hasDatabase(folder)) {
    throw new StartFailure(
      `the data folder ${folder.root} has a database of its own: move it with vitrine move --to-database, or give an empty folder with --data-dir`,
    );
  }
  const isNew = !existsSync(folder.replica);
  await prepareReplica(folder.replica);
  try {
    await migrate(url);
  } catch (error) {
    if (isUnavailable(error) && isFilled(folder.replica)) return;
    // The folder of a failed first start belongs to no node.
    if (isNew) removeReplica(folder.replica);
    throw startFailure(error);
  }
}

/** Migrates the database. Throws StartFailure. */
export async function prepareDatabase(url: DatabaseUrl): Promise<void> {
  try {
    await migrate(url);
  } catch (error) {
    throw startFailure(error);
  }
}

/** A node that belongs to the cluster. */
export interface JoinedNode extends Pick<Membership, "renew" | "drain"> {
  readonly lease: NodeLease;
  /** Resolves if an operator requests that the node drain. */
  readonly drainRequested: Promise<void>;
  /** Leaves the cluster, and closes the replica. Changes do not wait for this node afterwards. */
  leave(): Promise<void>;
}

interface JoinOptions extends Pick<MembershipOptions, "onRenewal" | "onProblem"> {
  readonly folder: DataFolder;
  readonly generation: GenerationCell;
  readonly cluster: SharedCluster;
  readonly node: Node;
}

/** Milliseconds after which a renewal to a server that does not respond is aborted. */
const HEARTBEAT_DEADLINE_MS = 2000;

/**
 * The same for reads of the log. Changes wait for a node that hangs there, and it serves nothing after an outage until
 * then. Filling the replica takes longer as a whole, but not each of its reads.
 */
const LOG_DEADLINE_MS = 10_000;

/** Fills the replica and joins the cluster, in the main thread. Throws StartFailure. */
export async function joinAsNode(url: DatabaseUrl, options: JoinOptions): Promise<JoinedNode> {
  const { folder, generation, cluster, node, onRenewal, onProblem } = options;
  const now = () => performance.now();
  const lease = leaseIn(cluster.lease, now);
  const { observe } = clusterMeters(cluster.meters);
  const application = cluster.sessions;
  const connection = connect(url, { max: 1, deadline: LOG_DEADLINE_MS, application, observe });
  const heartbeat = connect(url, { max: 1, deadline: HEARTBEAT_DEADLINE_MS, application, observe });
  const loading = connect(url, { max: 1, application, observe });
  const drain = Promise.withResolvers<void>();
  const replica = openReplica(folder.replica, (place) => raiseGeneration(generation, place));
  const close = () => {
    for (const opened of [connection, heartbeat, loading, replica]) opened.close();
  };
  try {
    const membership = await joinCluster(connection, replica, node, {
      now,
      lease,
      heartbeat,
      loading,
      onDrain: drain.resolve,
      prepareDatabase: async () => void (await migrate(url)),
      ...(onRenewal && { onRenewal }),
      ...(onProblem && { onProblem }),
    });
    return {
      lease,
      drainRequested: drain.promise,
      renew: membership.renew,
      drain: membership.drain,
      async leave() {
        try {
          await membership.leave();
        } finally {
          close();
        }
      },
    };
  } catch (error) {
    close();
    throw startFailure(error);
  }
}

/** Returns whether another node serves visits now. */
export async function hasOtherNodes(url: DatabaseUrl): Promise<boolean> {
  const connection = connect(url, { max: 1 });
  try {
    const nodes = await nodeStore(connection).list();
    return nodes.some(({ state }) => state !== "isolated");
  } finally {
    connection.close();
  }
}
