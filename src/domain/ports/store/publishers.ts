import type { NewPublisher, Publisher, RepositoryIds } from "../../model/publisher.ts";
import type { AuditEntry } from "./audit.ts";
import type { NewDeploymentToken } from "./tokens.ts";

/** A match of an ID token with a publisher, to be exchanged for a deployment token. */
export interface Exchange {
  readonly publisherId: string;
  /** The ids of the run's repository; stored if the publisher has none yet. */
  readonly ids: RepositoryIds;
  /** SHA-256 of issuer and `jti`. */
  readonly idTokenHash: string;
  /** From then on the ID token is refused because of its age. */
  readonly idTokenEndsAt: number;
  readonly token: NewDeploymentToken;
  readonly audit: AuditEntry;
}

export type ExchangeOutcome =
  | "exchanged"
  /** The ID token was exchanged before. */
  | "replayed"
  /** The publisher was removed, or first used by another repository meanwhile. */
  | "changed";

export interface PublisherStore {
  /** Returns false if the site has `most` publishers. Throws `not_found` if the site was deleted meanwhile. */
  add(publisher: NewPublisher, most: number): Promise<boolean>;
  /** Oldest first. */
  listOfSite(siteId: number): Promise<readonly Publisher[]>;
  /** Deletes a publisher and its deployment tokens; false if the site has none with this id. */
  delete(siteId: number, id: string): Promise<boolean>;
  /**
   * In one transaction: marks the ID token as used, pins the ids at first use, and adds the token and the audit record.
   */
  exchange(exchange: Exchange): Promise<ExchangeOutcome>;
  /** Deletes used ID tokens that are too old to be accepted at `now`. */
  deleteUsedIdTokens(now: number): Promise<number>;
  /** Deletes deployment tokens of exchanges that expired before this time. */
  deleteTokens(expiredBefore: number): Promise<number>;
}
