import type { Claim, NewClaim } from "../../domain/model/claim.ts";
import type { Store } from "../../domain/ports/store.ts";

type Facts = Pick<NewClaim, "hostname" | "siteId" | "ownerId" | "createdAt"> & Partial<NewClaim>;

/** Adds a claim with tokens of its own, pending by default, and saves the given state. Throws if that is refused. */
export async function addClaim(
  { claims }: Pick<Store, "claims">,
  facts: Facts,
  state: Partial<Claim> = {},
): Promise<Claim> {
  const [proofToken, probeToken, probeResponse] = [1, 2, 3].map(() => crypto.randomUUID()) as [string, string, string];
  const claim = { proofToken, probeToken, probeResponse, ...facts };
  const creation = await claims.create(claim, { rates: [], mostPending: null });
  if (creation.outcome !== "created") throw new Error(`${facts.hostname}: ${creation.outcome}`);
  if (Object.keys(state).length === 0) return creation.claim;
  const saved = await claims.save([{ ...creation.claim, ...state }], facts.createdAt);
  if (saved !== "saved") throw new Error(`${facts.hostname}: ${saved}`);
  return (await claims.find(creation.claim.id)) as Claim;
}
