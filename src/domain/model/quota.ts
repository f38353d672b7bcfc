import { DomainError } from "../errors.ts";

/** The limits of a user; null is no limit. */
export interface Quota {
  readonly sites: number | null;
  /** Bytes of all kept deployments as uploaded. Shared content counts in each deployment. */
  readonly bytes: number | null;
}

/** A user's own limits. Absent fields use the server's. */
export type OwnQuota = Partial<Quota>;

/** A user's usage, in the terms of `Quota`. */
export interface Usage {
  readonly sites: number;
  readonly bytes: number;
}

/** A user's quota and usage. */
export interface Room {
  readonly quota: Quota;
  readonly usage: Usage;
}

export const UNLIMITED: Quota = { sites: null, bytes: null };

/** Returns the effective quota of a user. */
export function quotaInForce(standard: Quota, own: OwnQuota): Quota {
  return { ...standard, ...own };
}

/** New limits of a user: null for none, `default` for the server's. Absent fields stay. */
export type QuotaChange = { readonly [Kind in keyof Quota]?: number | null | "default" };

/** Returns a user's own limits after a change. */
export function changedQuota(own: OwnQuota, change: QuotaChange): OwnQuota {
  return Object.fromEntries(Object.entries({ ...own, ...change }).filter(([, limit]) => limit !== "default"));
}

/** A limit that a deployment would exceed. */
export type QuotaExcess =
  | { readonly kind: "sites"; readonly limit: number; readonly used: number }
  | { readonly kind: "bytes"; readonly limit: number; readonly used: number; readonly more: number };

/** Returns the limit that further sites and bytes would exceed; null if none. */
export function excessOf(quota: Quota, usage: Usage, more: Usage): QuotaExcess | null {
  if (quota.sites !== null && more.sites > 0 && usage.sites + more.sites > quota.sites) {
    return { kind: "sites", limit: quota.sites, used: usage.sites };
  }
  if (quota.bytes !== null && usage.bytes + more.bytes > quota.bytes) {
    return { kind: "bytes", limit: quota.bytes, used: usage.bytes, more: more.bytes };
  }
  return null;
}

/** The error for a deployment above the quota, with the limit, the usage and the remedy. */
export function overQuota(excess: QuotaExcess): DomainError {
  return new DomainError("limit_exceeded", `a deployment limit was exceeded: ${describe(excess)}`);
}

// --- internal ---

function describe(excess: QuotaExcess): string {
  const limit = excess.limit.toLocaleString("en");
  const used = excess.used.toLocaleString("en");
  if (excess.kind === "sites") {
    return `the owner may have ${limit} ${excess.limit === 1 ? "site" : "sites"} and has ${used}: delete one, or ask the operator for more`;
  }
  const more = excess.more.toLocaleString("en");
  return `the owner's deployments may have ${limit} bytes, ${used} are in use and this one has ${more} more: delete a site, let a retention policy drop old deployments, or ask the operator for more`;
}
