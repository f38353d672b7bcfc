import { DAY, HOUR } from "../timestamp.ts";
import { aliasMoved, type Happened } from "../webhooks/events.ts";

/** Who may see previews: whoever may see the site, or only readers, or everybody. */
export const PREVIEW_ACCESS = ["site", "private", "public"] as const;
export type PreviewAccess = (typeof PREVIEW_ACCESS)[number];

/** What holds for a site's previews. */
export interface PreviewPolicy {
  readonly access: PreviewAccess;
  /** Milliseconds after which a preview and its alias expire where a deployment says nothing else. */
  readonly lifetime: number;
}

export const DEFAULT_PREVIEW_LIFETIME = 30 * DAY;
export const MIN_PREVIEW_LIFETIME = HOUR;
export const MAX_PREVIEW_LIFETIME = 365 * DAY;

/** For so long the address of an expired preview answers 410. */
export const EXPIRED_FOR = 30 * DAY;

/** A name that points to a deployment of its site; `name` is its DNS label. */
export interface Alias {
  readonly name: string;
  readonly deploymentNumber: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null for an alias that stays. */
  readonly expiresAt: number | null;
}

/** Most aliases of a site. */
export const MAX_ALIASES = 100;

/** A site's aliases, as far as they decide whether one of them may be set. */
export interface AliasState {
  readonly count: number;
  /** The alias in question; null where it does not exist yet. */
  readonly existing: Pick<Alias, "deploymentNumber"> | null;
}

/** Where an alias is to point to. */
export interface AliasTarget {
  readonly siteName: string;
  readonly alias: string;
  readonly deploymentNumber: number;
}

export function hasRoomForAlias({ count, existing }: AliasState): boolean {
  return existing !== null || count < MAX_ALIASES;
}

/** Returns what it means that an alias is set: nothing where it points there already. */
export function aliasEvents({ existing }: AliasState, { siteName, alias, deploymentNumber }: AliasTarget): Happened[] {
  const previous = existing?.deploymentNumber ?? null;
  return previous === deploymentNumber ? [] : [aliasMoved(siteName, { alias, deploymentNumber, previous })];
}

/** Whether visitors of a site's previews must be readers. */
export function arePreviewsPrivate(access: PreviewAccess, isSitePrivate: boolean): boolean {
  return access === "site" ? isSitePrivate : access === "private";
}
