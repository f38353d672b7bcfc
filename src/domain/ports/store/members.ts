import type { MemberRole } from "../../model/role.ts";
import type { Identity } from "../../model/user.ts";

/** Maximum members of a site besides its owner, groups included. */
export const MAX_MEMBERS = 50;
/** Maximum groups among them. */
export const MAX_MEMBER_GROUPS = 10;

/** Somebody who works on a site besides its owner: a user, or everybody in a group of the identity provider. */
export interface Member {
  /** Null for a group. */
  readonly userId: number | null;
  /** The login of a user, or the name of a group. */
  readonly name: string;
  readonly role: MemberRole;
  readonly addedAt: number;
  /** The login of the user who added it; null if their account was removed. */
  readonly addedBy: string | null;
}

/** The person or group that becomes a member. */
export type NewMember = { readonly identity: Identity } | { readonly group: string };

/** The person or group that is one. */
export type MemberRef = { readonly userId: number } | { readonly group: string };

export type MemberChange =
  | { readonly outcome: "added" | "changed"; readonly member: Member }
  /** The user owns the site. */
  | { readonly outcome: "owner" }
  | { readonly outcome: "too_many" }
  | { readonly outcome: "too_many_groups" };

export interface MemberStore {
  /** Returns the members of a site by login, and then the groups by name. The owner is not among them. */
  list(siteId: number): Promise<readonly Member[]>;

  /**
   * Gives a person or a group a role on a site, and adds the user of an unknown identity. One transaction. Throws
   * `not_found` if the site or a local account was deleted meanwhile.
   */
  set(
    siteId: number,
    member: NewMember,
    change: { readonly role: MemberRole; readonly addedBy: number; readonly at: number },
  ): Promise<MemberChange>;

  /** Removes a member from the next request on. Returns false if the site has no such member. */
  remove(siteId: number, member: MemberRef, at: number): Promise<boolean>;
}
