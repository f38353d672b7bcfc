import { EVENT_TYPES, type SiteEventType } from "./events.ts";

/** Types of events in a stream besides those of webhooks. */
const LIVE_TYPES = ["site.changed", "access.changed", "site.removed", "sites.added", "admin.changed"] as const;

export type LiveType = Exclude<SiteEventType, "ping"> | (typeof LIVE_TYPES)[number];

/** All names of events in a stream, in display order. `reset` follows a gap: anything may have changed. */
export const STREAM_TYPES = [...EVENT_TYPES, ...LIVE_TYPES, "reset"] as const;

/** The part of a site that changed. */
export interface LiveDetails {
  readonly deployment_number?: number;
  readonly alias?: string;
  readonly hostname?: string;
}

/**
 * The recipients of an event:
 *
 * - `members`: the site's owner and the other people who work on it
 * - `readers`: the same, and the readers of a private site
 * - `people`: the users in `userIds`; with a site, only those who may see it
 * - `operators`: all operators of the server
 * - `sessions`: nobody; streams of the users in `userIds` whose session has ended are closed
 *
 * Access is looked up when the event is sent.
 */
type Audience = "members" | "readers" | "people" | "operators" | "sessions";

/** A visible change before it is in the log. */
export interface NewLiveEvent {
  readonly type: LiveType;
  readonly audience: Audience;
  /** Null for an event without a site, and for a deleted site. */
  readonly siteId: number | null;
  /** The name of a deleted site. */
  readonly siteName: string | null;
  readonly userIds: readonly number[];
  readonly details: LiveDetails;
}

export interface LiveEvent extends NewLiveEvent {
  /** Ids increase by one per event, in the order of the changes. */
  readonly id: number;
}

/** The users who can see a site now. */
export interface SiteAudience {
  readonly siteName: string;
  /** The owner and the other people who work on the site. */
  readonly memberIds: readonly number[];
  /** Empty for a public site, which needs no readers. */
  readonly readerIds: readonly number[];
}

/** Returns the recipients of an event, among users who can see its site; null for all operators. */
export function recipients(
  { audience, userIds, siteId }: NewLiveEvent,
  site: SiteAudience | null,
): readonly number[] | null {
  if (audience === "operators") return null;
  if (audience === "sessions" || (audience === "people" && siteId === null)) return userIds;
  if (site === null) return [];
  if (audience === "members") return site.memberIds;
  const seeing = [...site.memberIds, ...site.readerIds];
  return audience === "readers" ? seeing : seeing.filter((id) => userIds.includes(id));
}
