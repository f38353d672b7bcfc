import type { ClaimCreation } from "../ports/store/claims.ts";
import type { Claim, NewClaim } from "./claim.ts";

/** What speaks for or against a new claim, as it is in the moment in which the claim would be added. */
export interface ClaimState {
  /** The open claims of the hostname. */
  readonly open: readonly Pick<Claim, "ownerId" | "status" | "siteName">[];
  /** From when on each rate has room for the owner. */
  readonly roomAt: readonly number[];
  /** Until when the site's pending claims wait for their proof, the first to end first. */
  readonly pendingUntil: readonly number[];
  /** How many pending claims the site may have; null is any number. */
  readonly mostPending: number | null;
}

/** Returns why a claim is not made, or null. Who cannot have the hostname anyway is told so before any limit. */
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
