import { type Claim, connectionStatus } from "../model/claim.ts";
import { claimEvents, type Happened } from "../model/events.ts";
import type { LiveDetails, LiveType, NewLiveEvent, SiteAudience } from "../model/live-event.ts";

// The events of each change. Stores add them in the transaction of the change.

type Events = readonly NewLiveEvent[];

/** Events of webhooks are also sent to streams, unless these have another event for the change. */
export function siteHappened(siteId: number, { type, data }: Happened): Events {
  if (type === "ping" || type === "site.deleted") return [];
  const { deployment_number, alias, hostname } = data;
  const details = {
    ...(typeof deployment_number === "number" && { deployment_number }),
    ...(typeof alias === "string" && { alias }),
    ...(typeof hostname === "string" && { hostname }),
  };
  return [{ ...OF_SITE, type, audience: SEEN_BY_READERS.includes(type) ? "readers" : "members", siteId, details }];
}

/** A part of the site that only the people who work on it see, such as its settings. */
export function siteChanged(siteId: number, details: LiveDetails = {}): Events {
  return [{ ...OF_SITE, type: "site.changed", siteId, details }];
}

/** For the people who work on a site: its members, shares or tokens have changed. */
export function accessChanged(siteId: number): Events {
  return [{ ...OF_SITE, type: "access.changed", siteId }];
}

/** The events of a publication besides its deployment. */
export function sitePublished(
  siteId: number,
  { isNew, accessChanged: differs }: { readonly isNew: boolean; readonly accessChanged: boolean },
): Events {
  if (isNew) return [{ ...OF_SITE, type: "sites.added", siteId }, ...adminChanged(siteId)];
  return differs ? accessChanged(siteId) : [];
}

/** `readerIds` are the users on the site's list, whether it is private or not. */
export function privacyChanged(siteId: number, isPrivate: boolean, readerIds: readonly number[]): Events {
  const events = accessChanged(siteId);
  if (readerIds.length === 0) return events;
  return [...events, isPrivate ? siteShared(siteId, readerIds) : accessLost(readerIds)];
}

/** A new member or reader: one user, or those in a group. */
export function peopleAdded(siteId: number, userIds: readonly number[]): Events {
  const events = accessChanged(siteId);
  return userIds.length === 0 ? events : [...events, siteShared(siteId, userIds)];
}

/** A removed reader, or a removed group of readers or members. */
export function peopleRemoved(siteId: number, userIds: readonly number[]): Events {
  return [...accessChanged(siteId), ...groupsChanged(userIds)];
}

/** These users see other sites now. */
export function groupsChanged(userIds: readonly number[]): Events {
  return userIds.length === 0 ? [] : [accessLost(userIds)];
}

/** Readers and operators see it, too: a site was frozen, has expired, or has another name, which the event has. */
export function siteChangedForReaders(siteId: number): Events {
  return [{ ...OF_SITE, type: "site.changed", audience: "readers", siteId }, ...adminChanged(siteId)];
}

export function siteTransferred(siteId: number, from: number, to: number): Events {
  return [
    accessLost([from]),
    siteShared(siteId, [to]),
    // Members and readers see who owns it.
    ...siteChangedForReaders(siteId),
  ];
}

/** Somebody who is no reader either loses the site. */
export function memberRemoved(siteId: number, siteName: string, userId: number): Events {
  return [...accessChanged(siteId), { ...OF_PEOPLE, type: "site.removed", siteName, userIds: [userId] }];
}

export function siteRemoved({ siteName, memberIds, readerIds }: SiteAudience): Events {
  return [
    { ...OF_PEOPLE, type: "site.removed", siteName, userIds: [...memberIds, ...readerIds] },
    { ...OF_PEOPLE, type: "admin.changed", audience: "operators", siteName },
  ];
}

/** A new or changed claim of a hostname; no event if only the next check was planned. */
export function claimChanged(siteId: number, before: Claim | null, after: Claim): Events {
  if (before && (claimEvents(before, after).length > 0 || !looksDifferent(before, after))) return [];
  return siteChanged(siteId, { hostname: after.hostname });
}

/** A change that operators see. */
export function adminChanged(siteId: number | null = null): Events {
  return [{ ...OF_PEOPLE, type: "admin.changed", audience: "operators", siteId }];
}

/** A change of a user's sessions or rights. Streams of ended sessions are closed. */
export function sessionsChanged(userId: number): Events {
  return [{ ...OF_PEOPLE, type: "access.changed", audience: "sessions", userIds: [userId] }];
}

export function personChanged(userId: number): Events {
  return [...sessionsChanged(userId), ...adminChanged()];
}

// --- internal ---

/** Readers see the content of a site, not its settings. */
const SEEN_BY_READERS: readonly LiveType[] = ["deployment.published", "deployment.activated"];

const OF_SITE = { audience: "members", siteName: null, userIds: [], details: {} } as const;
const OF_PEOPLE = { audience: "people", siteId: null, siteName: null, userIds: [], details: {} } as const;

/** These users can no longer see a site. The event makes their clients reload, and does not name the site. */
function accessLost(userIds: readonly number[]): NewLiveEvent {
  return { ...OF_PEOPLE, type: "access.changed", userIds };
}

/** The site is new for these users. */
function siteShared(siteId: number, userIds: readonly number[]): NewLiveEvent {
  return { ...OF_PEOPLE, type: "sites.added", siteId, userIds };
}

function looksDifferent(before: Claim, after: Claim): boolean {
  return connectionStatus(before) !== connectionStatus(after) || SHOWN.some((field) => before[field] !== after[field]);
}

/** The fields of a claim that owners see, except the time of the last check. */
const SHOWN = [
  "status",
  "withdrawnAt",
  "routeStatus",
  "routeError",
  "effectiveMode",
  "targetMode",
  "observedMode",
  "transitionError",
  "activationError",
  "lastError",
] as const;
