import { countCharacters } from "../characters.ts";
import { DomainError } from "../errors.ts";
import { isPrintable } from "../printable.ts";
import type { Site } from "./site.ts";

/** A freeze of a site or a user by the operator. Nothing is deleted, and unfreezing restores everything. */
export interface Freeze {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Shown to the owner, never to visitors; null if the operator gave none. */
  readonly reason: string | null;
}

/** Creates a freeze. Throws `invalid` for a reason that does not fit on one line. */
export function newFreeze(reason: string | null, at: number): Freeze {
  const text = reason?.trim() ?? "";
  if (countCharacters(text) > MAX_REASON_LENGTH)
    throw new DomainError("invalid", `the reason is longer than ${MAX_REASON_LENGTH} characters`);
  if (!isPrintable(text))
    throw new DomainError("invalid", "the reason holds control characters: give one line of text");
  return { at, reason: text === "" ? null : text };
}

/**
 * Throws `forbidden` for a change to a site that is frozen or has expired. Its owner may only view, download and delete,
 * and remove domains, and give an expired one another expiry.
 */
export function requireUnfrozenSite(site: Pick<Site, "name" | "frozen" | "expired">): void {
  requireNotFrozenByOperator(site);
  if (site.expired) throw siteExpired(site.name);
}

/** Throws `forbidden` for a change to a site that the operator froze. */
export function requireNotFrozenByOperator({ name, frozen }: Pick<Site, "name" | "frozen">): void {
  if (frozen) throw siteFrozen(name, frozen);
}

export function siteExpired(name: string): DomainError {
  return new DomainError("forbidden", `site has expired: ${name} is removed soon, unless it gets another expiry`);
}

export function siteFrozen(name: string, freeze: Freeze): DomainError {
  return new DomainError("forbidden", `site is frozen: the operator froze ${name}${because(freeze)}`);
}

/** The `forbidden` of a frozen user, with the reason for a page of their own. */
export class AccountFrozen extends DomainError {
  constructor(readonly freeze: Freeze) {
    super("forbidden", `account is frozen${because(freeze)}: ask the operator`);
  }
}

/** Throws `AccountFrozen` for a frozen user, whatever credential they use. */
export function requireUnfrozenAccount(frozen: Freeze | null): void {
  if (frozen) throw new AccountFrozen(frozen);
}

// --- internal ---

const MAX_REASON_LENGTH = 500;

function because({ reason }: Freeze): string {
  return reason === null ? "" : `: ${reason}`;
}
