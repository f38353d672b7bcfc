import { countCharacters } from "../characters.ts";
import { isPrintable } from "../printable.ts";
import { HOUR } from "../timestamp.ts";

const HOLD_HOURS = 12;
/** How long a user stays in the groups that a sign-in told of. Nobody tells the server when they leave one. */
export const GROUPS_HOLD_MS = HOLD_HOURS * HOUR;
/** The same for people. */
export const GROUPS_HOLD = `${HOLD_HOURS} hours`;

/** Above, the groups of a user are unknown. */
export const MAX_GROUPS = 1000;
/** Groups with longer names are ignored: nobody can make them a member. */
export const MAX_GROUP_NAME_LENGTH = 255;

/** Begins the entry of a group among members and readers. */
const GROUP_MARK = "@";

/** Why a sign-in told nothing of the user's groups. */
export type UnknownGroups = "overage" | "too_many" | "unreadable";

/** The groups of a user as the provider told them at a sign-in. */
export type ToldGroups =
  /** Without the claim the user is in no group. */
  { readonly outcome: "told" | "absent"; readonly names: readonly string[] } | { readonly outcome: UnknownGroups };

/** Completes the sentence "At your last sign-in your groups were not told: …". */
export const WHY_UNKNOWN: Readonly<Record<UnknownGroups, string>> = {
  overage: "there are too many for the provider to send",
  too_many: `there are more than ${MAX_GROUPS}`,
  unreadable: "the provider sent something else than a list of names",
};

/** Returns the group that an entry names; null for the entry of a person. */
export function groupOfEntry(entry: string): string | null {
  return entry.startsWith(GROUP_MARK) ? entry.slice(GROUP_MARK.length) : null;
}

/** Returns the name of a user or a group as lists show it. */
export function entryOf({ userId, name }: { readonly userId: number | null; readonly name: string }): string {
  return userId === null ? GROUP_MARK + name : name;
}

/** Returns whether a text can be the name of a group. Names are opaque, and may have spaces and slashes. */
export function isGroupName(name: string): boolean {
  return name !== "" && countCharacters(name) <= MAX_GROUP_NAME_LENGTH && isPrintable(name);
}
