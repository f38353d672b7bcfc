import type { Page } from "../../model/page.ts";
import type { Site } from "../../model/site.ts";
/** The kind of actor. `server` is the server itself, which removes what has expired. */
export const ACTOR_KINDS = ["session", "deployment_token", "mcp", "operator", "visitor", "server"] as const;

export type ActorKind = (typeof ACTOR_KINDS)[number];

/** A change. Contains no secret. */
export interface AuditEntry {
  readonly at: number;
  readonly kind: ActorKind;
  /**
   * The login, the deployment token's name, or the system user of the operator; empty for a user who was
   * signing in, and for the server.
   */
  readonly actor: string;
  /** The account of a session; null for others. Unlike a login, it never becomes another user's. */
  readonly userId: number | null;
  /** The client's IP address; empty for a command on the data folder. */
  readonly address: string;
  /** The operation, such as `POST /sites/:name/deployments/:deployment_number/activate`. */
  readonly action: string;
  /** The affected site; null if there is none. */
  readonly site: string | null;
  /** Other details, such as `deployment_number=3`; may be empty. */
  readonly subject: string;
}

/** A stored entry. Ids increase and are never reused. */
export type KeptAuditEntry = AuditEntry & { readonly id: number };

/** A filter of entries. Absent fields do not restrict them. */
export interface AuditFilter {
  readonly site?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Inclusive start and exclusive end. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The log of all changes. Entries are added and never changed, and each one is linked to the one before it. */
export interface AuditStore {
  /** On a full disk the reserve file is released for an operator's entry. */
  append(entry: AuditEntry): Promise<void>;

  list(filter: AuditFilter, page: Page): Promise<readonly KeptAuditEntry[]>;

  /** Returns the changes of a site since its creation, also those under its former names. */
  listOfSite(site: Pick<Site, "id" | "name" | "createdAt">, page: Page): Promise<readonly KeptAuditEntry[]>;

  /** Returns the changes by a user, and all changes of the sites that they own now, since each of those got its name. */
  listOfOwner(userId: number, page: Page): Promise<readonly KeptAuditEntry[]>;

  /**
   * Deletes the oldest entries, at most `limit` of them, up to the first one that is not older than `before`. Returns
   * their number. The remaining entries stay linked to the deleted ones.
   */
  deleteOldest(before: number, limit: number): Promise<number>;
}
