/** When something began and ended, in milliseconds of one clock. */
export interface Interval {
  readonly begin: number;
  readonly end: number;
}

/**
 * What the answer to a change says: `done`; `late`, made but perhaps not yet shown by every node; `refused`, nothing
 * changed; `unknown`, no answer, or one that leaves it open.
 */
export type Outcome = "done" | "late" | "refused" | "unknown";

/** A request that changes a site. */
export interface Change extends Interval {
  readonly kind: "deploy" | "activate" | "delete" | "freeze" | "unfreeze";
  readonly site: string;
  /** The node that was asked, or `balancer`. */
  readonly via: string;
  readonly outcome: Outcome;
  /** Identifies the content of the deployment that is created or activated. Every deployment has its own. */
  readonly mark?: string;
  /** The number of the deployment that was created. */
  readonly number?: number;
  /** Null if there was no answer. */
  readonly status: number | null;
  /** The beginning of an answer other than `done`. */
  readonly response?: string;
}

/**
 * What a visitor saw. A `shared` file has the same content in several deployments. `no file` is the answer 404 of a site
 * that has nothing at a path; all deployments have it, so this is right only while the site is deleted.
 */
export type Sight =
  | { readonly kind: "page"; readonly mark: string }
  | { readonly kind: "shared" | "no site" | "no file" | "frozen" }
  | { readonly kind: "damaged" | "failed"; readonly detail: string };

/** A node behind the balancer. */
export interface Answering {
  readonly node: string;
  /** Whether the balancer knew a node that is ready. Otherwise it asks any. */
  readonly isReady: boolean;
}

export interface Visit extends Interval {
  readonly site: string;
  /** The node that was asked, or `balancer`. */
  readonly via: string;
  readonly path: string;
  readonly saw: Sight;
  /** Who answered behind the balancer. */
  readonly by?: Answering;
}

/** A fault that was made, until everything had recovered from it. */
export interface Fault extends Interval {
  readonly kind: FaultKind;
  /** The node; null if it concerns all. */
  readonly node: string | null;
  /** When its cause was removed. */
  readonly lifted: number;
}

export type FaultKind = NodeFaultKind | ServerFaultKind;
export type NodeFaultKind =
  | "node killed"
  | "node stopped"
  | "node drained"
  | "node without database"
  | "node without S3"
  | "node without visitors";
export type ServerFaultKind = "database killed" | "database stopped" | "S3 stopped";

/** A site as its owner finds it in the end: the deployments with the mark that each one's own URL shows. */
export interface FoundSite {
  readonly site: string;
  readonly deployments: ReadonlyMap<number, string>;
}

/** What clients saw of a cluster, in any order. */
export interface History {
  readonly changes: readonly Change[];
  readonly visits: readonly Visit[];
  readonly faults: readonly Fault[];
  /** Read after the last change, when all faults had ended. */
  readonly found: readonly FoundSite[];
}

/** Returns the deletions that were made, or may have been. */
export function deletionsAmong(changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ kind, outcome }) => kind === "delete" && outcome !== "refused");
}
