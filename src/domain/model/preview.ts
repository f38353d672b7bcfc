import { DAY, HOUR, SECOND } from "../timestamp.ts";
import { aliasMoved, type Happened } from "./events.ts";

/** Determines who may see previews: everyone who may see the site, only readers, or everybody. */
export const PREVIEW_ACCESS = ["site", "private", "public"] as const;

export type PreviewAccess = (typeof PREVIEW_ACCESS)[number];

/** The preview settings of a site. */
export interface PreviewPolicy {
  readonly access: PreviewAccess;
  /** The default lifetime of previews and their aliases, in milliseconds. */
  readonly lifetime: number;
}

export const DEFAULT_PREVIEW_LIFETIME = 30 * DAY;

export const MIN_PREVIEW_LIFETIME = HOUR;

export const MAX_PREVIEW_LIFETIME = 365 * DAY;

/** The minimum lifetime of an alias that is set without a deployment. */
export const MIN_ALIAS_LIFETIME = SECOND;

/** The time for which the URL of an expired preview responds with 410. */
export const EXPIRED_FOR = 30 * DAY;

/** A name that points to a deployment of its site; `name` is its DNS label. */
export interface Alias {
  readonly name: string;
  readonly deploymentNumber: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null for an alias without expiry. */
  readonly expiresAt: number | null;
}

/** Maximum aliases of a site. */
export const MAX_ALIASES = 100;

/** The state that decides whether an alias can be set. */
export interface AliasState {
  readonly count: number;
  /** The alias itself; null if it does not exist yet. */
  readonly existing: Pick<Alias, "deploymentNumber"> | null;
}

/** The new target of an alias. */
interface AliasTarget {
  readonly siteName: string;
  readonly alias: string;
  readonly deploymentNumber: number;
}

export function hasRoomForAlias({ count, existing }: AliasState): boolean {
  return existing !== null || count < MAX_ALIASES;
}

/** Returns the events of setting an alias; none if it already has the target. */
export function aliasEvents({ existing }: AliasState, { siteName, alias, deploymentNumber }: AliasTarget): Happened[] {
  const previous = existing?.deploymentNumber ?? null;
  return previous === deploymentNumber ? [] : [aliasMoved(siteName, { alias, deploymentNumber, previous })];
}

/** Returns whether visitors of a site's previews must be readers. */
export function arePreviewsPrivate(access: PreviewAccess, isSitePrivate: boolean): boolean {
  return access === "site" ? isSitePrivate : access === "private";
}

/**
 * Returns whether visitors of an alias must be readers. What was live before is never more public at an alias than at
 * the site: a credential for previews may point an alias to any deployment.
 */
export function isAliasPrivate(access: PreviewAccess, isSitePrivate: boolean, activatedAt: number | null): boolean {
  return arePreviewsPrivate(access, isSitePrivate) || (isSitePrivate && activatedAt !== null);
}
