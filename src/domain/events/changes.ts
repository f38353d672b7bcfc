import { type Claim, connectionStatus } from "../claims/claim.ts";
import { claimEvents, type Happened } from "../webhooks/events.ts";
import type { LiveDetails, LiveType, NewLiveEvent, SiteAudience } from "./live-event.ts";

// The events of each change. Stores add them in the transaction of the change.

type Told = readonly NewLiveEvent[];

/** Events of webhooks are sent here too, except where streams have another event for the change. */
export function siteHappened(siteId: number, { type, data }: Happened): Told {
  if (type === "ping" || type === "site.deleted") return [];
  const { deployment_number, alias, hostname } = data;
  const details = {
    ...(typeof deployment_number === "number" && { deployment_number }),
    ...(typeof alias === "string" && { alias }),
    ...(typeof hostname === "string" && { hostname }),
  };
  return [{ ...OF_SITE, type, audience: SEEN_BY_READERS.includes(type) ? "readers" : "owner", siteId, details }];
}

/** Something of the site that only its owner sees, such as its settings. */
export function siteChanged(siteId: number, details: LiveDetails = {}): Told {
  return [{ ...OF_SITE, type: "site.changed", siteId, details }];
}

/** For the owner: the shares or tokens of a site have changed. */
export function accessChanged(siteId: number): Told {
  return [{ ...OF_SITE, type: "access.changed", siteId }];
}

/** A publication, besides its deployment. */
export function sitePublished(
  siteId: number,
  { isNew, accessChanged: differs }: { readonly isNew: boolean; readonly accessChanged: boolean },
): Told {
  if (isNew) return [{ ...OF_SITE, type: "sites.added", siteId }, ...adminChanged(siteId)];
  return differs ? accessChanged(siteId) : [];
}

/** `readerIds` are the people on the site's list, whether it is private or not. */
export function privacyChanged(siteId: number, isPrivate: boolean, readerIds: readonly number[]): Told {
  const told = accessChanged(siteId);
  if (readerIds.length === 0) return told;
  return [...told, isPrivate ? siteShared(siteId, readerIds) : accessLost(readerIds)];
}

export function readerAdded(siteId: number, userId: number): Told {
  return [...accessChanged(siteId), siteShared(siteId, [userId])];
}

export function readerRemoved(siteId: number, userId: number): Told {
  return [...accessChanged(siteId), accessLost([userId])];
}

export function siteFrozen(siteId: number): Told {
  return changedForReaders(siteId);
}

export function siteTransferred(siteId: number, from: number): Told {
  return [
    accessLost([from]),
    { ...OF_SITE, type: "sites.added", siteId },
    // They see who owns it.
    ...changedForReaders(siteId),
  ];
}

export function siteDeleted({ siteName, ownerId, readerIds }: SiteAudience): Told {
  return [
    { ...OF_PEOPLE, type: "site.removed", siteName, userIds: [ownerId, ...readerIds] },
    { ...OF_PEOPLE, type: "admin.changed", audience: "operators", siteName },
  ];
}

/** A claim of a hostname, new or changed; nothing where only the next check was planned. */
export function claimChanged(siteId: number, before: Claim | null, after: Claim): Told {
  if (before && (claimEvents(before, after).length > 0 || !looksDifferent(before, after))) return [];
  return siteChanged(siteId, { hostname: after.hostname });
}

/** Something that operators see. */
export function adminChanged(siteId: number | null = null): Told {
  return [{ ...OF_PEOPLE, type: "admin.changed", audience: "operators", siteId }];
}

/** A person's sessions, or what they may do. Streams of sessions that are over end. */
export function sessionsChanged(userId: number): Told {
  return [{ ...OF_PEOPLE, type: "access.changed", audience: "sessions", userIds: [userId] }];
}

export function personChanged(userId: number): Told {
  return [...sessionsChanged(userId), ...adminChanged()];
}

// --- internal ---

/** Readers see what a site shows, not how it comes about. */
const SEEN_BY_READERS: readonly LiveType[] = ["deployment.published", "deployment.activated"];

const OF_SITE = { audience: "owner", siteName: null, userIds: [], details: {} } as const;
const OF_PEOPLE = { audience: "people", siteId: null, siteName: null, userIds: [], details: {} } as const;

function changedForReaders(siteId: number): Told {
  return [{ ...OF_SITE, type: "site.changed", audience: "readers", siteId }, ...adminChanged(siteId)];
}

/** They may no longer see a site: the event makes them look again, and does not name the site. */
function accessLost(userIds: readonly number[]): NewLiveEvent {
  return { ...OF_PEOPLE, type: "access.changed", userIds };
}

/** The site is new to these people. */
function siteShared(siteId: number, userIds: readonly number[]): NewLiveEvent {
  return { ...OF_PEOPLE, type: "sites.added", siteId, userIds };
}

function looksDifferent(before: Claim, after: Claim): boolean {
  return connectionStatus(before) !== connectionStatus(after) || SHOWN.some((field) => before[field] !== after[field]);
}

/** What owners see of a claim, except when it was checked. */
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
