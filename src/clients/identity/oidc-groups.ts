import { isGroupName, MAX_GROUPS, type ToldGroups } from "../../domain/model/group.ts";

type Claims = Readonly<Record<string, unknown>>;

/**
 * Reads a user's groups from the claims of each source: the ID token and the userinfo endpoint. Groups of several
 * sources count together. `claim` is the claim's name, or a path to it, such as `realm_access.roles`. A source that
 * only says that there are too many groups for it leaves them unknown, unless another one lists them.
 */
export function readGroups(claim: string, sources: readonly Claims[]): ToldGroups {
  const told = sources.map((claims) => readSource(claim, claims));
  const names = new Set(told.flatMap((one) => ("names" in one ? one.names : [])));
  if (names.size > MAX_GROUPS) return { outcome: "too_many" };
  if (told.some(({ outcome }) => outcome === "told")) return { outcome: "told", names: [...names] };
  return told.find(({ outcome }) => outcome !== "absent") ?? { outcome: "absent", names: [] };
}

// --- internal ---

function readSource(claim: string, claims: Claims): ToldGroups {
  const value = find(claim, claims);
  if (value === undefined || value === null) {
    return hasOverage(claim, claims) ? { outcome: "overage" } : { outcome: "absent", names: [] };
  }
  if (typeof value === "string") return { outcome: "told", names: [value].filter(isGroupName) };
  if (!Array.isArray(value)) return { outcome: "unreadable" };
  return { outcome: "told", names: value.filter((name) => typeof name === "string" && isGroupName(name)) };
}

/** Returns a claim by its literal name, which may have dots, or else by its path. */
function find(claim: string, claims: Claims): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  let value: unknown = claims;
  for (const part of claim.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

/**
 * Microsoft Entra omits the groups if there are more than 200, and refers to its API instead (`_claim_names`), or says
 * only that there are some (`hasgroups`).
 */
function hasOverage(claim: string, { _claim_names: elsewhere, hasgroups }: Claims): boolean {
  const isElsewhere = typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, claim);
  return isElsewhere || hasgroups === true || hasgroups === "true";
}
