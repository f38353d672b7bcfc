import type { ToldGroups } from "../../model/group.ts";

/** The groups of a user that hold, and what their last sign-in told. */
export interface GroupsOfUser {
  /** By name. */
  readonly names: readonly string[];
  /** When a sign-in told them; null without groups. */
  readonly toldAt: number | null;
  readonly lastSignIn: { readonly at: number; readonly outcome: ToldGroups["outcome"] };
}

/** The number of users by what their last sign-in told of their groups. */
export type GroupReports = Readonly<Record<ToldGroups["outcome"], number>>;

/** The groups of the identity provider. A sign-in stores them: `UserStore.admit`. */
export interface GroupStore {
  /** Returns null for a user at whose sign-ins the provider was not asked for groups. */
  ofUser(userId: number, now: number): Promise<GroupsOfUser | null>;

  /** Counts the users who signed in at `since` or later. */
  countReports(since: number): Promise<GroupReports>;
}
