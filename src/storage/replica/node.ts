import { messageOf } from "../../domain/error-message.ts";
import { DomainError, isUnavailable } from "../../domain/errors.ts";
import { sharedRun } from "../../domain/shared-run.ts";
import { SECOND } from "../../domain/timestamp.ts";
import type { LogPlace } from "../postgres/change-log.ts";
import type { PostgresConnection } from "../postgres/connection.ts";
import { MovedDatabase } from "../postgres/migrate.ts";
import {
  LEASE_MS,
  type Node,
  NodeNameLeased,
  NodeNameTaken,
  type NodeStore,
  nextMembership,
  nodeStore,
  type Renewal,
} from "../postgres/nodes.ts";
import { ReplicaFailure } from "./failure.ts";
import { type Follower, newFollower } from "./follow.ts";
import { leaseIn, type NodeLease, newLeaseCell } from "./lease.ts";
import { type LoadAhead, newLoadAhead } from "./load-ahead.ts";
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
  readonly heartbeat?: PostgresConnection;
  /** The connection for files of deployments, so that changes are not read after thousands of them. */
  readonly loading?: PostgresConnection;
  /** Called after each renewal with the milliseconds that the request took. */
  readonly onRenewal?: (renewal: Renewal, duration: number) => void;
  /** Deployments with more files are loaded after a renewal or at their first visit, and not with the change. */
  readonly maxFilesAtOnce?: number;
  /** Called once if an operator requests that the node drain. */
  readonly onDrain?: () => void;
  /** The wall clock. */
  readonly wallClock?: () => number;
  /** Makes the database ready before its first use, which is long after the start if it is unreachable then. */
  readonly prepareDatabase?: () => Promise<void>;
  /** Called when the reason changes why the node has no lease, for the operator; null once it has one again. */
  readonly onProblem?: (reason: string | null) => void;
}

/**
 * Fills the replica, or continues with it, and joins the cluster. If the database is unreachable and the replica was
 * filled before, the node is isolated since its last contact, and joins later. Otherwise throws `unavailable`. A node that
 * was killed and starts again waits for the end of its former lease. Throws NodeNameTaken if another node renews it.
 */
export async function joinCluster(
  connection: PostgresConnection,
  replica: Replica,
  node: Node,
  options: MembershipOptions = {},
): Promise<Membership> {
  const { now = () => performance.now(), wallClock = Date.now } = options;
  const lease = options.lease ?? leaseIn(newLeaseCell(), now);
  resumeLease(lease, replica, wallClock());
  const member = new Member(connection, replica, node, { ...options, now, wallClock, lease });
  const attempt = sharedRun(async () => {
    const begun = now();
    const outcome = await within(RENEWAL_LIMIT_MS, member.renew());
    if (lease.isCurrent()) return true;
    // A process that was stopped has not waited for the response: the next attempt shows whether there is one.
    const wasStopped = outcome === "late" && now() - begun > RENEWAL_LIMIT_MS + STOPPED_MS;
    if (!wasStopped) lease.noteIsolation();
    return false;
  });
  await joinFirst(member).catch((error) => {
    if (replica.place() === null || !isTemporary(error)) throw error;
    lease.noteIsolation();
  });
  const stopListening = connection.listen("vitrine_changes", () => void member.catchUp().catch(() => {}));
  const timer = setInterval(() => void attempt(), RENEWAL_INTERVAL_MS);
  timer.unref();
  return {
    renew: attempt,
    catchUp: member.catchUp,
    drain: () => member.drain(),
    async leave() {
      clearInterval(timer);
      stopListening();
      await member.leave();
    },
  };
}

// --- internal ---

/**
 * Lets the lease of an earlier start end at the last contact, so that isolation permits visits as long as without the
 * restart. If the wall clock was set back since, the time of the last contact is unknown, and isolation permits nothing.
 */
function resumeLease(lease: NodeLease, replica: Replica, now: number): void {
  const lastContact = replica.lastContact();
  if (lastContact !== null && lastContact <= now) lease.resume(now - lastContact);
  else lease.discard();
}

async function joinFirst(member: Member): Promise<void> {
  try {
    await member.renew();
  } catch (error) {
    if (!(error instanceof NodeNameLeased)) throw error;
    await Bun.sleep(error.endsIn);
    await member.renew().catch((again) => {
      throw again instanceof NodeNameLeased ? new NodeNameTaken(again.holder) : again;
    });
  }
}

/** Returns whether the node can keep its replica until the problem is solved. */
function isTemporary(error: unknown): boolean {
  return error instanceof ReplicaFailure || isUnavailable(error);
}

type MemberOptions = MembershipOptions & Required<Pick<MembershipOptions, "now" | "wallClock" | "lease">>;

/** A membership without timers. `renew` waits for its end, and throws. */
class Member {
  #node: Node;
  readonly #options: MemberOptions;
  readonly #nodes: NodeStore;
  /** The same with the longer deadline. */
  readonly #patientNodes: NodeStore;
  readonly #follower: Follower;
  readonly #loadAhead: LoadAhead;
  readonly #recordContact: (at: number) => Promise<void>;
  readonly #report: Report;
  #isPrepared = false;
  #isMember = false;
  /** Whether the node lacks changes that it knows of. */
  #isBehind = false;
  #joining: Promise<Renewal> | null = null;
  #isDraining = false;
  #hasLeft = false;

  constructor(connection: PostgresConnection, replica: Replica, node: Node, options: MemberOptions) {
    this.#node = node;
    this.#options = options;
    this.#nodes = nodeStore(options.heartbeat ?? connection);
    this.#patientNodes = nodeStore(connection);
    this.#recordContact = contactRecorder(replica);
    this.#report = problemReporter(options.onProblem);
    const announce = async (place: LogPlace): Promise<boolean> => {
      if (!this.#isMember) return false;
      const { id } = this.#node;
      const isKnown = await this.#nodes.saveApplied(id, place);
      if (!isKnown && id === this.#node.id) this.#isMember = false;
      return isKnown;
    };
    this.#loadAhead = newLoadAhead(options.loading ?? connection, replica);
    this.#follower = newFollower(connection, replica, announce, {
      maxFilesAtOnce: options.maxFilesAtOnce,
      onLackingFiles: this.#loadAhead.request,
    });
  }

  readonly catchUp = async (): Promise<void> => {
    try {
      await this.#report("catch-up", this.#apply());
    } finally {
      if (this.#isBehind && !this.#hasLeft) void this.renew().catch(() => {});
    }
  };

  readonly renew = sharedRun(async () => {
    try {
      await this.#report("renewal", this.#renewOnce());
      // The process was stopped during the request.
      if (!this.#options.lease.isCurrent() && !this.#hasLeft) await this.#report("renewal", this.#renewOnce());
    } catch (error) {
      // The sites change elsewhere from now on, or without waiting for this node.
      if (error instanceof MovedDatabase || error instanceof NodeNameLeased) this.#options.lease.discard();
      await this.#leaveIfBehind().catch(() => {});
      throw error;
    }
  });

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#nodes.saveDraining(this.#node.id);
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#options.lease.end();
    this.#isMember = false;
    // Otherwise it could add the node after it was removed.
    await this.#joining?.catch(() => {});
    const { id } = this.#node;
    // A busy database may exceed the short deadline of renewals, and a node that did not leave is listed for a day.
    await this.#nodes.leave(id).catch(() => this.#patientNodes.leave(id));
  }

  async #renewOnce(): Promise<void> {
    const { now, wallClock, lease, prepareDatabase, onRenewal } = this.#options;
    if (!this.#isPrepared) await prepareDatabase?.();
    this.#isPrepared = true;
    await this.#leaveIfBehind();
    // No change should wait for a node that has much to apply, or may be unable to.
    if (!lease.isCurrent()) await this.#apply();
    // The lease counts from before the request, because changes wait for this node no longer than that.
    const [begun, wallTime] = [now(), wallClock()];
    const known = this.#isMember ? await this.#nodes.renew(this.#node.id) : null;
    if (this.#hasLeft) return;
    if (known === null) this.#joining = this.#nodes.join(this.#node, this.#follower.place());
    const renewal = known ?? (await this.#joining!);
    if (this.#hasLeft) return;
    this.#isMember = true;
    onRenewal?.(renewal, now() - begun);
    if (renewal.applied < (this.#follower.place()?.seq ?? 0)) this.#follower.announceAgain();
    // Changes do not wait for a node without a lease, so they are applied before it serves again. The database's clock
    // may have ended the lease before this node's own.
    if (known === null || !lease.isCurrent()) await this.#apply();
    // A notification may have been lost, and changes would wait for this node.
    else void this.catchUp().catch(() => {});
    if (this.#hasLeft) return;
    lease.extend(begun + LEASE_MS);
    void this.#evictSilent().catch(() => {});
    void this.#loadAhead.run().catch(() => {});
    await this.#recordContact(wallTime);
    if (renewal.state === "draining") this.#beginToDrain();
  }

  /** Every node does this for all others, because those that are silent cannot. */
  async #evictSilent(): Promise<void> {
    await this.#nodes.boundLeases();
    await this.#nodes.endSilentSessions();
  }

  async #apply(): Promise<void> {
    try {
      await this.#follower.catchUp();
      this.#isBehind = false;
    } catch (error) {
      if (error instanceof ReplicaFailure) {
        this.#options.lease.discard();
        this.#isBehind = true;
      }
      throw error;
    }
  }

  /** No change waits for a node that answers no visit because it is behind. Call it only within a renewal. */
  async #leaveIfBehind(): Promise<void> {
    if (!this.#isBehind || !this.#isMember) return;
    const { id } = this.#node;
    this.#node = { ...this.#node, id: nextMembership(id) };
    this.#isMember = false;
    await this.#nodes.resign(id);
  }

  #beginToDrain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#options.onDrain?.();
  }
}

/** Milliseconds between two records of the last contact. */
const CONTACT_INTERVAL_MS = 10 * SECOND;

/** Returns a function that records the last contact now and then. A node that cannot record it counts as older. */
function contactRecorder(replica: Replica): (at: number) => Promise<void> {
  let recordedAt = Number.NEGATIVE_INFINITY;
  return async (at) => {
    if (Math.abs(at - recordedAt) < CONTACT_INTERVAL_MS) return;
    recordedAt = at;
    await replica.recordContact(at).catch(() => {});
  };
}

type Report = (source: "renewal" | "catch-up", work: Promise<void>) => Promise<void>;

/**
 * Returns a function that settles like `work`, and reports why it fails if that is new. A catch-up says nothing while
 * renewals fail: the log of a database that was moved elsewhere can still be read.
 */
function problemReporter(onProblem: MembershipOptions["onProblem"] = () => {}): Report {
  let known: { readonly source: string; readonly reason: string } | null = null;
  const note = (source: string, reason: string | null): void => {
    if (source === "catch-up" && known?.source === "renewal") return;
    if (reason !== (known?.reason ?? null)) onProblem(reason);
    known = reason === null ? null : { source, reason };
  };
  return async (source, work) => {
    try {
      await work;
      note(source, null);
    } catch (error) {
      note(source, messageOf((error instanceof DomainError && error.extra.cause) || error));
      throw error;
    }
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
