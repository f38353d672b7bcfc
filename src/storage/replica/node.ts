import type { Connection } from "../postgres/connection.ts";
import { LEASE_MS, type Node, nodeStore } from "../postgres/nodes.ts";
import { newFollower } from "./follow.ts";
import type { Replica } from "./replica.ts";

/** A node's part in the cluster: it follows the log, and holds a lease that says so. */
export interface Membership {
  /**
   * Whether visits may be answered from the replica: whoever changes something waits for this node until its lease ends.
   * In the time of this thread.
   */
  isCurrent(): boolean;

  /** Renews the lease and applies what was changed; throws `unavailable` where the database is away. */
  renew(): Promise<void>;

  /** Applies all changes that were committed before the call. */
  catchUp(): Promise<void>;

  /** Leaves the cluster: nobody waits for the node any more. */
  leave(): Promise<void>;
}

const RENEWAL_INTERVAL_MS = 1000;

export interface MembershipOptions {
  readonly now?: () => number;
  /** Deployments with more files are loaded at their first visit. */
  readonly maxFilesAtOnce?: number;
}

/** Fills the replica and joins; throws `unavailable` where the database is away. */
export async function joinCluster(
  connection: Connection,
  replica: Replica,
  node: Node,
  { now = () => performance.now(), maxFilesAtOnce }: MembershipOptions = {},
): Promise<Membership> {
  const nodes = nodeStore(connection);
  let leaseEnds = 0;
  let isMember = false;
  const announce = async (place: number): Promise<void> => {
    if (isMember) isMember = await nodes.saveApplied(node.id, place);
  };
  const follower = newFollower(connection, replica, announce, maxFilesAtOnce);
  const isCurrent = () => now() < leaseEnds;

  const renew = async (): Promise<void> => {
    // The lease counts from before it was asked for: nobody waits for this node longer than that.
    const begun = now();
    isMember &&= await nodes.renew(node.id);
    if (!isMember) {
      await nodes.join(node, follower.place());
      isMember = true;
    }
    // Nobody waited for this node since its lease ended: what was changed then is applied before it serves again.
    if (!isCurrent()) await follower.catchUp();
    leaseEnds = Math.max(leaseEnds, begun + LEASE_MS);
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
    async leave() {
      clearInterval(timer);
      stopListening();
      leaseEnds = 0;
      isMember = false;
      await nodes.leave(node.id);
    },
  };
}
