import { countCharacters } from "../characters.ts";
import { DomainError } from "../errors.ts";

/** The operator's stop to a site or a person. Nothing is removed, and everything is as before once it is lifted. */
export interface Freeze {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Told to the owner, never to visitors; null where the operator gave none. */
  readonly reason: string | null;
}

/** Returns the operator's note as it is kept. Throws `invalid` for one that could not be shown on one line. */
export function newFreeze(reason: string | null, at: number): Freeze {
  const text = reason?.trim() ?? "";
  if (countCharacters(text) > MAX_REASON_LENGTH)
    throw new DomainError("invalid", `the reason is longer than ${MAX_REASON_LENGTH} characters`);
  if (/\p{Cc}/u.test(text))
    throw new DomainError("invalid", "the reason holds control characters: give one line of text");
  return { at, reason: text === "" ? null : text };
}

/** Throws `forbidden` for a change of a frozen site. Its owner may look, download and delete, and nothing else. */
export function requireUnfrozenSite({ name, frozen }: { readonly name: string; readonly frozen: Freeze | null }): void {
  if (frozen) throw siteFrozen(name, frozen);
}

/** The refusal of a change of a frozen site. */
export function siteFrozen(name: string, freeze: Freeze): DomainError {
  return new DomainError("forbidden", `site is frozen: the operator froze ${name}${because(freeze)}`);
}

/** Throws `forbidden` for a person whom the operator froze, whatever they show: password, session or token. */
export function requireUnfrozenAccount(frozen: Freeze | null): void {
  if (frozen) throw new DomainError("forbidden", `account is frozen${because(frozen)}: ask the operator`);
}

// --- internal ---

const MAX_REASON_LENGTH = 500;

function because({ reason }: Freeze): string {
  return reason === null ? "" : `: ${reason}`;
}
