import type { PreviewPolicy } from "../../../api/types.ts";
import { count } from "../../../format.ts";

/** Describes who may see previews. */
export function accessWords(access: PreviewPolicy["access"], isSitePrivate: boolean): string {
  if (access === "public") return "Everyone";
  if (access === "private") return "Members, readers and shares";
  return isSitePrivate ? "Like the site: members, readers and shares" : "Like the site: everyone";
}

/** Describes who may open a private site: `You, 2 members and 1 reader`. */
export function peopleWords(members: number, readers: number): string {
  const others = [
    ...(members > 0 ? [count(members, "member")] : []),
    ...(readers > 0 ? [count(readers, "reader")] : []),
  ];
  if (others.length === 0) return "Only you";
  return others.length === 1 ? `You and ${others[0]}` : `You, ${others.join(" and ")}`;
}
