import { DAY, HOUR } from "../timestamp.ts";

export const MIN_SITE_LIFETIME_MS = HOUR;
export const MAX_SITE_LIFETIME_MS = 365 * DAY;

/** The time in which an expired site can be rescued, before it is removed. */
export const EXPIRED_SITE_KEPT_MS = 7 * DAY;

/** How long before the end the site's webhooks are told. */
const NOTICE_MS = DAY;

/** A site that lives less gets no notice, which would come soon after it was made. */
const MIN_LIFETIME_WITH_NOTICE_MS = 2 * DAY;

export interface SiteExpiry {
  /** Null if the site stays. */
  readonly expiresAt: number | null;
  /** When its webhooks are to be told; null if they were, or need not be. */
  readonly expiryNoticeAt: number | null;
  /** True once it has expired: visitors get 410, and nothing can be changed. */
  readonly expired: boolean;
}

/** Returns the expiry of a site that has `lifetime` milliseconds from `now` on; null for a site that stays. */
export function expiryAfter(now: number, lifetime: number | null): SiteExpiry {
  if (lifetime === null) return { expiresAt: null, expiryNoticeAt: null, expired: false };
  const expiresAt = now + lifetime;
  const hasNotice = lifetime >= MIN_LIFETIME_WITH_NOTICE_MS;
  return { expiresAt, expiryNoticeAt: hasNotice ? expiresAt - NOTICE_MS : null, expired: false };
}
