import { DAY, SECOND } from "../timestamp.ts";

/** `link` is opened in a browser, `password` is typed into a form, `automation` is sent as a bearer token. */
export const SHARE_KINDS = ["link", "password", "automation"] as const;

export type ShareKind = (typeof SHARE_KINDS)[number];

/** Maximum unexpired shares of a site. */
export const MAX_SHARES = 50;
/** Maximum concurrent visits of a share; one more ends the oldest visit. */
export const MAX_SHARE_VISITS = 1000;

export const MIN_SHARE_LIFETIME_MS = SECOND;
export const DEFAULT_SHARE_LIFETIME_MS = 30 * DAY;
export const MAX_SHARE_LIFETIME_MS = 365 * DAY;
/** The time for which an expired share stays in its site's list. */
export const EXPIRED_SHARE_KEPT_MS = 30 * DAY;

export const MIN_SHARE_PASSWORD_LENGTH = 8;
export const MAX_SHARE_PASSWORD_LENGTH = 128;
/**
 * The number of newest passwords that an attempt without the id of its share is compared with. Each costs a slow hash,
 * and anybody can send the form. The URL for the owner contains the id.
 */
export const MAX_UNNAMED_PASSWORDS = 4;

/**
 * The hosts of a site that a share opens: those of an alias, by its label, or of one deployment, by its number; empty
 * for those of the active deployment.
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

/** Access to a private site without an account. */
export interface Share extends Omit<NewShare, "secretHash" | "passwordHash"> {
  readonly uses: number;
  readonly lastUsedAt: number | null;
}

/** A host of a private site, with the target that it serves. */
export interface SharedHost {
  readonly siteId: number;
  /** In lower case, without port and trailing dot. */
  readonly host: string;
  readonly target: ShareTarget;
}
