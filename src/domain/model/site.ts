import type { Freeze } from "./freeze.ts";

/** A site: its name under the sites domain, its owner, and its active deployment. */
export interface Site {
  readonly id: number;
  readonly name: string;
  readonly ownerId: number;
  readonly private: boolean;
  readonly createdAt: number;
  readonly lastDeployedAt: number;
  readonly activeDeployment: number | null;
  /** The size of the active deployment's files; null if there is none. */
  readonly sizeBytes: number | null;
  readonly totalViews: number;
  /** The owner's labels, in the order given. */
  readonly tags: readonly string[];
  /** Null unless the operator froze the site or its owner. */
  readonly frozen: Freeze | null;
}
