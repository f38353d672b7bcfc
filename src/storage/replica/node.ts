import type { LogPlace } from "../postgres/change-log.ts";
import type { Connection } from "../postgres/connection.ts";
import { LEASE_MS, type Node, nodeStore, type Renewal } from "../postgres/nodes.ts";
import { newFollower } from "./follow.ts";
import { leaseIn, type NodeLease, newLeaseCell } from "./lease.ts";
import type { Replica } from "./replica.ts";

/** A node's membership in the cluster: it follows the log and holds a lease. */
export interface Membership {
  /**
   * Renews the lease and, if it had ended, applies all changes. Returns whether the node has its lease. Returns after a
   * second at the latest; then, or after an error, the lease says that the node is isolated.
   */
  renew(): Promise<boolean>;

  /** Applies all changes that were committed before the call. */
  catchUp(): Promise<void>;

  /** Records that the node drains. Until it leaves, it serves, and changes wait for it. */
  drain(): Promise<void>;

  /** Leaves the cluster; changes no longer wait for the node. */
  leave(): Promise<void>;
}

const RENEWAL_INTERVAL_MS = 1000;

/** How long an attempt to renew may take. */
const RENEWAL_LIMIT_MS = 1000;

/** If an attempt took longer than its limit by this much, the process was stopped meanwhile. */
const STOPPED_MS = 500;

export interface MembershipOptions {
  /** The clock of the lease. */
  readonly now?: () => number;
  /** The lease that the node's threads share. */
  readonly lease?: NodeLease;
  /** The connection for renewals, which gives up a server that hangs sooner than the other. */
  readonly heartbeat?: Connection;
  /** Called after each renewal with the milliseconds that the request took. */
  readonly onRenewal?: (renewal: Renewal, duration: number) => void;
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
  options: MembershipOptions = {},
): Promise<Membership> {
  const { now = () => performance.now(), heartbeat = connection, onRenewal, onDrain, maxFilesAtOnce } = options;
  const { lease = leaseIn(newLeaseCell(), now) } = options;
  const nodes = nodeStore(heartbeat);
  let isMember = false;
  let isDraining = false;
  let hasLeft = false;
  const announce = async (place: LogPlace): Promise<void> => {
    if (isMember) isMember = await nodes.saveApplied(node.id, place);
  };
  const follower = newFollower(connection, replica, announce, maxFilesAtOnce);

  const renewOnce = async (): Promise<void> => {
    // The lease counts from before the request, because changes wait for this node no longer than that.
    const begun = now();
    const known = isMember ? await nodes.renew(node.id) : null;
    if (hasLeft) return;
    const renewal = known ?? (await nodes.join(node, follower.place()));
    isMember = true;
    onRenewal?.(renewal, now() - begun);
    // Changes did not wait for this node after its lease ended, so they are applied before it serves again.
    if (!lease.isCurrent()) await follower.catchUp();
    lease.extend(begun + LEASE_MS);
    if (renewal.state !== "draining" || isDraining) return;
    isDraining = true;
    onDrain?.();
  };
  const renewal = shared(async () => {
    await renewOnce();
    // The process was stopped during the request.
    if (!lease.isCurrent() && !hasLeft) await renewOnce();
  });
  const attempt = shared(async () => {
    const begun = now();
    const outcome = await within(RENEWAL_LIMIT_MS, renewal());
    if (lease.isCurrent()) return true;
    // A process that was stopped has not waited for the answer: the next attempt shows whether there is one.
    const wasStopped = outcome === "late" && now() - begun > RENEWAL_LIMIT_MS + STOPPED_MS;
    if (!wasStopped) lease.noteIsolation();
    return false;
  });
  await follower.catchUp();
  await renewal();
  const stopListening = connection.listen("vitrine_changes", () => void follower.catchUp().catch(() => {}));
  const timer = setInterval(() => void attempt(), RENEWAL_INTERVAL_MS);
  timer.unref();

  return {
    renew: attempt,
    catchUp: follower.catchUp,
    async drain() {
      isDraining = true;
      await nodes.saveDraining(node.id);
    },
    async leave() {
      hasLeft = true;
      clearInterval(timer);
      stopListening();
      lease.end();
      isMember = false;
      await nodes.leave(node.id);
    },
  };
}

// --- internal ---

/** Returns a function that starts `work`, or returns the run that has not ended yet. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
}

/** Waits for the end of `work`, with or without an error, for a limited time. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<"ended" | "late"> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), milliseconds);
  const ended = work.then(
    () => "ended" as const,
    () => "ended" as const,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
