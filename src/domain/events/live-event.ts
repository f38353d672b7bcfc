import { EVENT_TYPES, type SiteEventType } from "../webhooks/events.ts";

/** What an event stream can say besides the events of webhooks. */
export const LIVE_TYPES = ["site.changed", "access.changed", "site.removed", "sites.added", "admin.changed"] as const;

export type LiveType = Exclude<SiteEventType, "ping"> | (typeof LIVE_TYPES)[number];

/** All names of events in a stream, in display order. `reset` follows a gap: anything may have changed. */
export const STREAM_TYPES = [...EVENT_TYPES, ...LIVE_TYPES, "reset"] as const;

/** Which part of a site changed. */
export interface LiveDetails {
  readonly deployment_number?: number;
  readonly alias?: string;
  readonly hostname?: string;
}

/**
 * Who receives an event:
 *
 * - `owner`: the site's owner
 * - `readers`: the owner, and the readers of a private site
 * - `people`: the people in `userIds`; where there is a site, only those who may see it
 * - `operators`: everybody who operates the server
 * - `sessions`: nobody; streams of the people in `userIds` whose session is over must end
 *
 * What somebody may see is looked up when the event is sent.
 */
export type Audience = "owner" | "readers" | "people" | "operators" | "sessions";

/** A change of what people may see, before it is in the log. */
export interface NewLiveEvent {
  readonly type: LiveType;
  readonly audience: Audience;
  /** Null for what is about no site, and for a site that is gone. */
  readonly siteId: number | null;
  /** The name of a site that is gone. */
  readonly siteName: string | null;
  readonly userIds: readonly number[];
  readonly details: LiveDetails;
}

export interface LiveEvent extends NewLiveEvent {
  /** Ids rise by one from event to event, in the order in which the changes were made. */
  readonly id: number;
}

/** Who may see a site now. */
export interface SiteAudience {
  readonly siteName: string;
  readonly ownerId: number;
  /** Empty for a public site: nobody needs to be its reader. */
  readonly readerIds: readonly number[];
}

/** Returns whom an event is for, among people who may see its site; null for all operators. */
export function recipients(
  { audience, userIds, siteId }: NewLiveEvent,
  site: SiteAudience | null,
): readonly number[] | null {
  if (audience === "operators") return null;
  if (audience === "sessions" || (audience === "people" && siteId === null)) return userIds;
  if (site === null) return [];
  if (audience === "owner") return [site.ownerId];
  const seeing = [site.ownerId, ...site.readerIds];
  return audience === "readers" ? seeing : seeing.filter((id) => userIds.includes(id));
}
