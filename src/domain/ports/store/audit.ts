/** Who changed something. */
export type ActorKind = "session" | "deployment_token" | "operator" | "visitor";

/** One change that was made. Holds no secret. */
export interface AuditEntry {
  readonly at: number;
  readonly kind: ActorKind;
  /** The login, the deployment token's name, or the system user of the operator; empty for somebody who signed in. */
  readonly actor: string;
  /** The client's address; empty for the operator. */
  readonly address: string;
  /** The operation, such as `POST /sites/:name/deployments/:deployment_number/activate`. */
  readonly action: string;
  /** The site that it was about; null where it was about none. */
  readonly site: string | null;
  /** What else it was about, such as `deployment_number=3`; empty for nothing. */
  readonly subject: string;
}

/** The record of all changes. Entries are added and never changed, and each one is bound to the one before it. */
export interface AuditStore {
  append(entry: AuditEntry): Promise<void>;

  /** Newest first; `before` is an id and excluded, `site` null for all. */
  list(page: {
    readonly site: string | null;
    readonly limit: number;
    readonly before: number | null;
  }): Promise<readonly (AuditEntry & { readonly id: number })[]>;
}
