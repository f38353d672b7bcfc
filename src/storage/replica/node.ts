import type { LogPlace } from "../postgres/change-log.ts";
import type { Connection } from "../postgres/connection.ts";
import { LEASE_MS, type Node, nodeStore } from "../postgres/nodes.ts";
import { newFollower } from "./follow.ts";
import type { Replica } from "./replica.ts";

/** A node's membership in the cluster: it follows the log and holds a lease. */
export interface Membership {
  /**
   * Whether visits may be answered from the replica. Until the lease ends, by the clock of this thread, every change
   * waits for this node.
   */
  isCurrent(): boolean;

  /** Renews the lease and, if it had ended, applies all changes. Throws `unavailable` if the database is unreachable. */
  renew(): Promise<void>;

  /** Applies all changes that were committed before the call. */
  catchUp(): Promise<void>;

  /** Records that the node drains. Until it leaves, it serves, and changes wait for it. */
  drain(): Promise<void>;

  /** Leaves the cluster; changes no longer wait for the node. */
  leave(): Promise<void>;
}

const RENEWAL_INTERVAL_MS = 1000;

export interface MembershipOptions {
  readonly now?: () => number;
  /** Deployments with more files are loaded at their first visit. */
  readonly maxFilesAtOnce?: number;
  /** Called once if an operator requests that the node drain. */
  readonly onDrain?: () => void;
}

/** Fills the replica and joins the cluster. Throws `unavailable` if the database is unreachable. */
export async function joinCluster(
  connection: Connection,
  replica: Replica,
  node: Node,
  { now = () => performance.now(), maxFilesAtOnce, onDrain = () => {} }: MembershipOptions = {},
): Promise<Membership> {
  const nodes = nodeStore(connection);
  let leaseEnds = 0;
  let isMember = false;
  let isDraining = false;
  const announce = async (place: LogPlace): Promise<void> => {
    if (isMember) isMember = await nodes.saveApplied(node.id, place);
  };
  const follower = newFollower(connection, replica, announce, maxFilesAtOnce);
  const isCurrent = () => now() < leaseEnds;

  const renew = async (): Promise<void> => {
    // The lease counts from before the request, because changes wait for this node no longer than that.
    const begun = now();
    const state = isMember ? await nodes.renew(node.id) : null;
    isMember = state !== null;
    if (!isMember) {
      await nodes.join(node, follower.place());
      isMember = true;
    }
    // Changes did not wait for this node after its lease ended, so they are applied before it serves again.
    if (!isCurrent()) await follower.catchUp();
    leaseEnds = Math.max(leaseEnds, begun + LEASE_MS);
    if (state !== "draining" || isDraining) return;
    isDraining = true;
    onDrain();
  };
  await follower.catchUp();
  await renew();
  const stopListening = connection.listen("vitrine_changes", () => void follower.catchUp().catch(() => {}));
  const timer = setInterval(() => void renew().catch(() => {}), RENEWAL_INTERVAL_MS);
  timer.unref();

  return {
    isCurrent,
    renew,
    catchUp: follower.catchUp,
    async drain() {
      isDraining = true;
      await nodes.saveDraining(node.id);
    },
    async leave() {
      clearInterval(timer);
      stopListening();
      leaseEnds = 0;
      isMember = false;
      await nodes.leave(node.id);
    },
  };
}
