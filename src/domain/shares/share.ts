import { DAY, SECOND } from "../timestamp.ts";

/** `link` is opened in a browser, `password` is typed into a form, `automation` is sent as a bearer token. */
export const SHARE_KINDS = ["link", "password", "automation"] as const;

export type ShareKind = (typeof SHARE_KINDS)[number];

/** Most shares of a site that have not expired. */
export const MAX_SHARES = 50;
/** Browsers that a share lets in at a time; one more ends the visit that was begun first. */
export const MAX_SHARE_VISITS = 1000;

export const MIN_SHARE_LIFETIME_MS = SECOND;
export const DEFAULT_SHARE_LIFETIME_MS = 30 * DAY;
export const MAX_SHARE_LIFETIME_MS = 365 * DAY;
/** For so long an expired share stays in its site's list. */
export const EXPIRED_SHARE_KEPT_MS = 30 * DAY;

export const MIN_SHARE_PASSWORD_LENGTH = 8;
export const MAX_SHARE_PASSWORD_LENGTH = 128;
/**
 * Passwords that a guess is compared with where the form names no share, the newest ones: each costs a slow hash, and
 * anybody can send the form. The address that the owner is given names the share.
 */
export const MAX_UNNAMED_PASSWORDS = 4;

/**
 * Which hosts of a site a share reaches: those that show an alias, by its label, or one deployment, by its number; empty
 * for those that show the active deployment.
 */
export type ShareTarget = string;
export const LIVE_TARGET: ShareTarget = "";

export interface NewShare {
  /** Public identifier, random. */
  readonly id: string;
  readonly siteId: number;
  readonly label: string;
  readonly kind: ShareKind;
  readonly target: ShareTarget;
  /** SHA-256 of the secret; null for a password. */
  readonly secretHash: string | null;
  /** In PHC form; null for the other kinds. */
  readonly passwordHash: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A way into a private site that needs no account. */
export interface Share extends Omit<NewShare, "secretHash" | "passwordHash"> {
  readonly uses: number;
  readonly lastUsedAt: number | null;
}

/** Where a visitor stands: a host of a private site, and which target of it the host is. */
export interface SharedHost {
  readonly siteId: number;
  readonly host: string;
  readonly target: ShareTarget;
}
