import type { TurnRequest } from "../../claims/check-turn.ts";
import type { Claim, NewClaim } from "../../claims/claim.ts";
import type { Rate } from "../../rate-limit.ts";
import type { SiteRoute } from "./sites.ts";

/** How many claims may be made. */
export interface CreationLimits {
  /** Of one owner. */
  readonly rates: readonly Rate[];
  /** Of one site, those that wait for their proof; null is no limit. */
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

/** `running`: somebody else checks. `done`: somebody has just checked; `silent` when no resolver answered them. */
export type CheckTurn =
  | { readonly outcome: "begun" }
  | { readonly outcome: "running" }
  | { readonly outcome: "done"; readonly silent: boolean };

export interface ClaimStore {
  /**
   * Adds a claim unless its hostname is held, its owner goes over a rate, or its site has `mostPending` pending ones:
   * judged (`checkClaimAllowed`) and added in one step. Throws `not_found` where the site has been deleted meanwhile.
   */
  create(claim: NewClaim, limits: CreationLimits): Promise<ClaimCreation>;

  find(id: number): Promise<Claim | null>;

  /** The claims of a site, ended ones included, newest first. */
  listOfSite(siteId: number): Promise<readonly Claim[]>;

  /** The open claims of all sites of an owner, oldest first. */
  listOpenOfOwner(ownerId: number): Promise<readonly Claim[]>;

  /** Returns the verified claim of a hostname, or null. There is never more than one. */
  findHolder(hostname: string): Promise<Claim | null>;

  /** Tells whether a site has an open claim of a hostname. */
  isClaimed(siteId: number, hostname: string): Promise<boolean>;

  /**
   * Saves all of the claims or none. `conflict` when one of them was saved by somebody else since it was read, or another
   * claim of a hostname is verified; `route_taken` when a hostname to be routed is still routed, or being removed, for
   * another claim. Notes in the same step what the change, made at `at`, means for the webhooks of the claims' sites.
   */
  save(claims: readonly Claim[], at: number): Promise<"saved" | "conflict" | "route_taken">;

  /**
   * Takes the turn to check a claim, for everybody who shares the store. A turn lasts until it is given back or `until`.
   * Its holder is named by `turnHolder`. `decideTurn` says who may begin.
   * `done` when one was given back within `shareFor` milliseconds before `now`.
   */
  takeCheck(id: number, turn: TurnRequest & { readonly holder: string }): Promise<CheckTurn>;
  /** Gives the turn back; no error when it ran out and another holder has it. */
  giveBackCheck(id: number, turn: { holder: string; now: number; silent: boolean }): Promise<void>;
  /** Ends the turns of a node: for its start, where it may have left some when it was killed. */
  endChecks(node: string): Promise<void>;

  /**
   * Open claims whose check is due, the longest overdue first: those planned before `now`, or after `horizon`, and those
   * that were made or last checked a minute or more after `now`: the clock was set back since, and their plan means nothing.
   */
  listDue(now: number, horizon: number, limit: number): Promise<readonly number[]>;
  /** Moves a claim's next look to `at` and changes nothing else: for a look that failed because of ourselves. */
  postpone(id: number, at: number): Promise<void>;
  /**
   * Makes a claim's next look due, unless it is. That look stands in for the one that was planned: of the same outcome, it
   * leaves the claim on the step of the ladder where it is.
   */
  bringForward(id: number, now: number): Promise<void>;
  /** Pending claims whose time is over, oldest first. */
  listExpired(now: number, limit: number): Promise<readonly number[]>;
  /** Claims whose route is being removed and whose next try is due. */
  listRemovals(now: number, horizon: number, limit: number): Promise<readonly number[]>;

  /** Returns what is answered at a challenge path, or null when no open claim awaits it. One indexed read. */
  findChallengeAnswer(probeToken: string): Promise<string | null>;

  /**
   * Returns the route of the site that a hostname in lower case is routed for, with the alias that it shows, if any; null
   * when it is not routed.
   */
  findRouted(hostname: string): Promise<(SiteRoute & Pick<Claim, "alias">) | null>;

  /** Returns the hostname by which a site wants to be known: of those that show its active deployment, the one
   * connected longest; null without one. */
  canonicalHostname(siteId: number): Promise<string | null>;

  /** The hostnames that are routed now. */
  listRouted(): Promise<readonly string[]>;
}
