import type { Claim, NewClaim } from "../model/claim.ts";
import type { ClaimCreation } from "../ports/store/claims.ts";

/** State read inside the transaction that adds the claim. */
export interface ClaimState {
  /** The open claims of the hostname. */
  readonly open: readonly Pick<Claim, "ownerId" | "status" | "siteName">[];
  /** When each rate limit next allows a claim of this owner. */
  readonly roomAt: readonly number[];
  /** When the site's pending claims expire, soonest first. */
  readonly pendingUntil: readonly number[];
  /** The maximum number of pending claims of the site; null for no limit. */
  readonly mostPending: number | null;
}

/** Returns why a claim is refused, or null. A hostname that is not available is reported before any limit. */
export function checkClaimAllowed(
  { ownerId, createdAt }: Pick<NewClaim, "ownerId" | "createdAt">,
  { open, roomAt, pendingUntil, mostPending }: ClaimState,
): Exclude<ClaimCreation, { outcome: "created" }> | null {
  const own = open.find((other) => other.ownerId === ownerId);
  if (own) return { outcome: "held_by_owner", siteName: own.siteName };
  if (open.some(({ status }) => status === "verified")) return { outcome: "verified_elsewhere" };
  const retryAt = Math.max(createdAt, ...roomAt);
  if (retryAt > createdAt) return { outcome: "too_many", retryAt };
  if (mostPending === null || pendingUntil.length < mostPending) return null;
  return { outcome: "too_many_pending", retryAt: pendingUntil[0] ?? createdAt };
}
