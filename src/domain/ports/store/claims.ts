import type { Claim, NewClaim } from "../../model/claim.ts";
import type { Rate } from "../../model/rate.ts";
import type { SiteRoute } from "./sites.ts";

/** Limits for new claims. */
export interface CreationLimits {
  /** Rate limits of one owner. */
  readonly rates: readonly Rate[];
  /** The maximum number of pending claims of a site; null for no limit. */
  readonly mostPending: number | null;
}

export type ClaimCreation =
  | { readonly outcome: "created"; readonly claim: Claim }
  /** The site, or another one of the same owner, has an open claim of the hostname. */
  | { readonly outcome: "held_by_owner"; readonly siteName: string | null }
  | { readonly outcome: "verified_elsewhere" }
  | { readonly outcome: "too_many"; readonly retryAt: number }
  /** The site has as many pending claims as it may have; the first of them expires at `retryAt`. */
  | { readonly outcome: "too_many_pending"; readonly retryAt: number };

/** `running`: another check is running. `done`: a check has just ended; `silent` if no resolver responded. */
export type CheckLease =
  | { readonly outcome: "begun" }
  | { readonly outcome: "running" }
  | { readonly outcome: "done"; readonly silent: boolean };

export interface ClaimStore {
  /**
   * Adds a claim unless its hostname is held, its owner exceeds a rate, or its site has `mostPending` pending ones. The
   * check (`checkClaimAllowed`) and the insertion are one transaction. Throws `not_found` if the site was deleted
   * meanwhile.
   */
  create(claim: NewClaim, limits: CreationLimits): Promise<ClaimCreation>;

  find(id: number): Promise<Claim | null>;

  /** Returns the claims of a site, including ended ones, newest first. */
  listOfSite(siteId: number): Promise<readonly Claim[]>;

  /** Returns the open claims of all sites of an owner, oldest first. */
  listOpenOfMember(userId: number, now: number): Promise<readonly Claim[]>;

  /** Returns the verified claim of a hostname, or null. There is at most one. */
  findHolder(hostname: string): Promise<Claim | null>;

  /** Returns whether a site has an open claim of a hostname. */
  isClaimed(siteId: number, hostname: string): Promise<boolean>;

  /**
   * Saves all of the claims or none, with the events of the change at `at` for the webhooks of the claims' sites.
   * Returns `conflict` if one of them was saved by somebody else since it was read, or another claim of a hostname is
   * verified; `route_taken` if a hostname to be routed is still routed, or being removed, for another claim.
   */
  save(claims: readonly Claim[], at: number): Promise<"saved" | "conflict" | "route_taken">;

  /**
   * Takes the lease for a check of a claim, among all nodes of the store. It lasts until it is released or `until`.
   * `leaseHolder` names its holder, and `decideCheckLease` decides who may start. Returns `done` if one was released within
   * `shareFor` milliseconds before `now`.
   */
  takeCheck(id: number, request: CheckLeaseRequest & { readonly holder: string }): Promise<CheckLease>;
  /** Releases the lease. Does nothing if it has expired and another holder has it. */
  releaseCheck(id: number, lease: { holder: string; now: number; silent: boolean }): Promise<void>;
  /** Ends the leases of a node. Called at its start, because it may have been killed. */
  endChecks(node: string): Promise<void>;

  /**
   * Returns open claims whose check is due, the most overdue first: those planned before `now`, or after `horizon`, and
   * those created or last checked at least a minute after `now`, whose plan is invalid because the clock was set back
   * since.
   */
  listDue(now: number, horizon: number, limit: number): Promise<readonly number[]>;
  /** Moves a claim's next check to `at` and changes nothing else, after a check that failed on this server. */
  postpone(id: number, at: number): Promise<void>;
  /**
   * Makes a claim's next check due now, unless it is. It replaces the planned check, and does not count for the claim's
   * backoff if its result is the same.
   */
  bringForward(id: number, now: number): Promise<void>;
  /** Returns expired pending claims, oldest first. */
  listExpired(now: number, limit: number): Promise<readonly number[]>;
  /** Returns claims whose route is being removed and whose next attempt is due. */
  listRemovals(now: number, horizon: number, limit: number): Promise<readonly number[]>;

  /** Returns the response for a challenge path, or null if no open claim has it. One indexed read. */
  findChallengeResponse(probeToken: string): Promise<string | null>;

  /**
   * Returns the route of the site for which a lower-case hostname is routed, with its alias, if any; null if it is not
   * routed.
   */
  findRouted(hostname: string): Promise<(SiteRoute & Pick<Claim, "alias">) | null>;

  /**
   * Returns the canonical hostname of a site: among those that follow its active deployment, the one connected longest;
   * null if there is none.
   */
  canonicalHostname(siteId: number): Promise<string | null>;

  /** Returns the routed hostnames. */
  listRouted(): Promise<readonly string[]>;
}

/** A request for the lease: until when, and how old a result may be to be shared. */
export interface CheckLeaseRequest {
  readonly now: number;
  readonly until: number;
  readonly shareFor: number;
}
