import type { Passkey } from "../../model/passkey.ts";
import type { User } from "../../model/user.ts";

export type NewPasskey = Omit<Passkey, "lastUsedAt">;

/** The result of removing a way to sign in. */
export type Removal = "removed" | "last_way_in" | "missing";

export interface PasskeyStore {
  /**
   * Adds a passkey. Returns `too_many` without changes if its user has `most` already, `taken` if some account has the
   * credential, and `missing` if there is no such user.
   */
  add(passkey: NewPasskey, most: number): Promise<"added" | "too_many" | "taken" | "missing">;

  /** Returns the passkeys of a user, oldest first. */
  listOfUser(userId: number): Promise<readonly Passkey[]>;

  /** Returns the passkey with the authenticator's ID, and its user; null if there is none. */
  findByCredential(credentialId: string): Promise<{ readonly passkey: Passkey; readonly user: User } | null>;

  /** Renames a passkey of a user. Returns it; null if it is not theirs or does not exist. */
  rename(id: string, userId: number, name: string): Promise<Passkey | null>;

  /**
   * Records a use. Returns false without changes if the passkey is gone, or if its counter is not below the new one: it
   * was used meanwhile, or there is a copy of it. Counters that stay 0 are not compared.
   */
  recordUse(id: string, use: { readonly counter: number; readonly at: number }): Promise<boolean>;

  /**
   * Removes a passkey of a user. Returns `last_way_in` without changes if they have no password and no other passkey of
   * this relying party, and `missing` if it is not theirs or does not exist.
   */
  remove(id: string, userId: number, relyingPartyId: string | null): Promise<Removal>;

  /**
   * Removes the password of a user, and ends what a new password ends; the current session stays. Returns `last_way_in`
   * without changes if they have no passkey of this relying party, and `missing` if they have no password.
   */
  removePassword(userId: number, keptSession: number, relyingPartyId: string | null): Promise<Removal>;
}
