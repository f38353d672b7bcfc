/** Who changed something. */
export type ActorKind = "session" | "deployment_token" | "operator" | "visitor";

/** One change that was made. Holds no secret. */
export interface AuditEntry {
  readonly at: number;
  readonly kind: ActorKind;
  /** The login, the deployment token's name, or the system user of the operator; empty for somebody who signed in. */
  readonly actor: string;
  /** The account of a session; null for everybody else. Unlike a login it never becomes another person's. */
  readonly userId: number | null;
  /** The client's address; empty for the operator. */
  readonly address: string;
  /** The operation, such as `POST /sites/:name/deployments/:deployment_number/activate`. */
  readonly action: string;
  /** The site that it was about; null where it was about none. */
  readonly site: string | null;
  /** What else it was about, such as `deployment_number=3`; empty for nothing. */
  readonly subject: string;
}

/** An entry as it is kept. Ids grow, and are never given twice. */
export type KeptAuditEntry = AuditEntry & { readonly id: number };

/** A part of the log, newest first; `before` is an id and excluded. */
export interface AuditPage {
  readonly limit: number;
  readonly before: number | null;
}

/** What entries must have; an absent field does not limit them. */
export interface AuditFilter {
  readonly site?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The first moment, and the first after the last one. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The record of all changes. Entries are added and never changed, and each one is bound to the one before it. */
export interface AuditStore {
  /** On a full disk the ballast is given up for what the operator does. */
  append(entry: AuditEntry): Promise<void>;

  list(filter: AuditFilter, page: AuditPage): Promise<readonly KeptAuditEntry[]>;

  /** What a person changed, and every change of the sites that they own now, since each of those was made. */
  listOfOwner(userId: number, page: AuditPage): Promise<readonly KeptAuditEntry[]>;

  /**
   * Drops the oldest entries, at most `limit` of them, up to the first that is not from before `before`; returns how
   * many. What is left stays bound to what was dropped.
   */
  dropOldest(before: number, limit: number): Promise<number>;
}
