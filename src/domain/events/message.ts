import {
  type LiveDetails,
  type LiveEvent,
  recipients,
  type SiteAudience,
  type STREAM_TYPES,
} from "../model/live-event.ts";
import type { User } from "../model/user.ts";

/** The data for a client. `site` is null for an event without a site, or with one that the client can no longer see. */
export interface Message {
  readonly id: number;
  readonly type: (typeof STREAM_TYPES)[number];
  readonly data: LiveDetails & { readonly site: string | null };
}

/** Follows a gap: anything may have changed. */
export const RESET = { type: "reset", data: { site: null } } as const;

/**
 * Returns the message that a user receives for an event; null for none. `site` has the users who can see the event's
 * site now.
 */
export function messageFor(
  event: LiveEvent,
  site: SiteAudience | null,
  { id, operator }: Pick<User, "id" | "operator">,
): Message | null {
  if (event.audience === "sessions") return null;
  const people = recipients(event, site);
  if (people === null ? !operator : !people.includes(id)) return null;
  return {
    id: event.id,
    type: event.type,
    data: { site: site?.siteName ?? event.siteName, ...event.details },
  };
}
